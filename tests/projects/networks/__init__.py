"""Networks of public projects: one table for each project, or for versions that are alike.

Both interpreters run these files, so they stay within Python 3.8.
"""

#: Project and version, as its folder is named -> the module of its table.
PROJECTS = {
    "d2l-0.17.6": "d2l",
    "gluoncv2-0.0.64": "gluoncv2",
    "gluonfr-1.0.2": "gluonfr",
    "gluonts-0.11.12": "gluonts_mx",
    "gluonts-0.8.1": "gluonts_first",
    "mxnet-octave-conv-0.1.0": "octave",
    "rl-coach-1.0.1": "rl_coach",
    "sockeye-2.3.24": "sockeye",
}
