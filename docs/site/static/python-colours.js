// The tokens of Python, as far as colours need them, named as Pygments names them: the theme has colours for these.
"use strict";

const PYTHON_TOKENS = new RegExp(
  [
    String.raw`(?<c1>#[^\n]*)`,
    String.raw`(?<s2>(?<!\w)[rbfuRBFU]{0,2}(?:"""[^]*?(?:"""|$(?![^]))|'''[^]*?(?:'''|$(?![^]))|"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?))`,
    String.raw`(?<nd>(?<=^[ \t]*)@[\w.]+)`,
    String.raw`(?<nf>(?<=\b(?:def|class)[ \t]+)\w+)`,
    String.raw`(?<kc>\b(?:True|False|None)\b)`,
    String.raw`(?<k>\b(?:and|as|assert|async|await|break|class|continue|def|del|elif|else|except|finally|for|from|global|if|import|in|is|lambda|nonlocal|not|or|pass|raise|return|try|while|with|yield)\b)`,
    String.raw`(?<mi>\b(?:0[xXoObB][\da-fA-F_]+|\d[\d_]*\.?[\d_]*(?:[eE][+-]?\d+)?)j?)`,
  ].join("|"),
  "gm",
);

// The coloured stretches of a text, in order: [from, to, class].
function pythonColours(text) {
  return [...text.matchAll(PYTHON_TOKENS)].map((token) => {
    const [name] = Object.entries(token.groups).find(([, value]) => value !== undefined);
    return [token.index, token.index + token[0].length, name];
  });
}
