"""Pretrained word vectors: the names of their files, loaded from disk if present."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, ClassVar

from hybridlint.runtime import ndarray as nd
from hybridlint.runtime.contrib.text.token_embedding import _TokenEmbedding, register
from hybridlint.runtime.contrib.text.vocab import Vocabulary
from hybridlint.runtime.ndarray.ndarray import NDArray

_ROOT = os.path.join(os.environ.get("MXNET_HOME", os.path.join("~", ".mxnet")), "embeddings")

_GLOVE = """42B.300d 6B.50d 6B.100d 6B.200d 6B.300d 840B.300d twitter.27B.25d twitter.27B.50d twitter.27B.100d
twitter.27B.200d"""

#: Wikipedias in the order of MXNet's list; "multi" ones share one space.
_WIKIPEDIAS = """aa ab ace ady af ak als am ang an arc ar arz ast as av ay azb az bar bat_smg ba bcl be bg bh bi bjn bm
bn bo bpy br bs bug bxr ca cbk_zam cdo ceb ce cho chr ch chy ckb co crh cr csb cs cu cv cy da de diq dsb dv dz ee el eml
en eo es et eu ext fa ff fiu_vro fi fj fo frp frr fr fur fy gag gan ga gd glk gl gn gom got gu gv hak ha haw he hif hi
ho hr hsb ht hu hy hz ia id ie ig ii ik ilo io is it iu jam ja jbo jv kaa kab ka kbd kg ki kj kk kl km kn koi ko krc kr
ksh ks ku kv kw ky lad la lbe lb lez lg lij li lmo ln lo lrc ltg lt lv mai map_bms mdf mg mhr mh min mi mk ml mn mo mrj
mr ms mt multi.ar multi.bg multi.ca multi.cs multi.da multi.de multi.el multi.en multi.es multi.et multi.fi multi.fr
multi.he multi.hr multi.hu multi.id multi.it multi.mk multi.nl multi.no multi.pl multi.pt multi.ro multi.ru multi.sk
multi.sl multi.sv multi.tr multi.uk multi.vi mus mwl my myv mzn nah nap na nds_nl nds ne new ng nl nn no nov nrm nso nv
ny oc olo om or os pag pam pap pa pcd pdc pfl pih pi pl pms pnb pnt ps pt qu rm rmy rn roa_rup roa_tara ro rue ru rw sah
sa scn sco sc sd se sg sh simple si sk sl sm sn so sq srn sr ss stq st su sv sw szl ta tcy tet te tg th ti tk tl tn to
tpi tr ts tt tum tw ty tyv udm ug uk ur uz vec vep ve vi vls vo war wa wo wuu xal xh xmf yi yo za zea zh_classical
zh_min_nan zh zh_yue zu"""
_NEWS = ["wiki-news-300d-1M-subword.vec", "wiki-news-300d-1M.vec"]


def _fasttext_names() -> list[str]:
    names = ["crawl-300d-2M.vec", *(f"wiki.{language}.vec" for language in _WIKIPEDIAS.split())]
    after = names.index("wiki.ne.vec") + 1
    return [*names[:after], *_NEWS, *names[after:]]


class _Pretrained(_TokenEmbedding):
    """Vectors from one of the files named by a class, in its own folder of `embedding_root`.

    Raises KeyError for an unknown file name, and FileNotFoundError if the file is missing.
    """

    def __init__(
        self,
        pretrained_file_name: str,
        embedding_root: str,
        init_unknown_vec: Callable[..., NDArray],
        vocabulary: Vocabulary | None,
        **kwargs: Any,
    ) -> None:
        self._check_pretrained_file_names(pretrained_file_name)
        super().__init__(**kwargs)
        path = self._get_pretrained_file(embedding_root, pretrained_file_name)
        self._load_embedding(path, " ", init_unknown_vec)
        self._keep_only(vocabulary)


@register
class GloVe(_Pretrained):
    """The vectors of GloVe."""

    pretrained_file_name_sha1: ClassVar = dict.fromkeys(f"glove.{name}.txt" for name in _GLOVE.split())

    def __init__(
        self,
        pretrained_file_name: str = "glove.840B.300d.txt",
        embedding_root: str = _ROOT,
        init_unknown_vec: Callable[..., NDArray] = nd.zeros,
        vocabulary: Vocabulary | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(pretrained_file_name, embedding_root, init_unknown_vec, vocabulary, **kwargs)


@register
class FastText(_Pretrained):
    """The vectors of fastText."""

    pretrained_file_name_sha1: ClassVar = dict.fromkeys(_fasttext_names())

    def __init__(
        self,
        pretrained_file_name: str = "wiki.simple.vec",
        embedding_root: str = _ROOT,
        init_unknown_vec: Callable[..., NDArray] = nd.zeros,
        vocabulary: Vocabulary | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(pretrained_file_name, embedding_root, init_unknown_vec, vocabulary, **kwargs)
