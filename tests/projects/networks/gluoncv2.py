"""Networks of gluoncv2 0.0.64: of most families the smallest, on images as small as it takes."""

from __future__ import annotations

from typing import Any

from ..drawn import image, mx
from .network import WITHOUT_ONEDNN, Build, Network, Networks

#: What classifies images of the usual size.
_CLASSIFIERS = """alexnet zfnet bninception resnet18_wd4 resnetbc14b preresnet18_wd4 resnext14_32x2d seresnet10
sepreresnet10 seresnext50_32x4d senet16 resnestabc14 ibn_resnet50 ibnb_resnet50 ibn_resnext50_32x4d ibn_densenet121
airnet50_1x64d_r16 airnext50_32x4d_r2 bam_resnet18 cbam_resnet18 resattnet56 sknet50 scnet50 regnetx002 regnety002
regnetz002 regnetv002 diaresnet10 diapreresnet10 diracnet18v2 sharesnet18 crunet56 crunet56b densenet121
condensenet74_c8_g8 sparsenet121 peleenet drnc26 dpn68 darknet_tiny darknet53 channelnet bagnet9 dla46c msdnet22
fishnet99 espnetv2_wd2 dicenet_wd5 hrnet_w18_small_v1 vovnet27s selecsls42 hardnet39ds xdensenet121_2 squeezenet_v1_1
squeezeresnet_v1_1 sqnxt23_w1 shufflenet_g1_wd4 shufflenetv2_wd2 shufflenetv2b_wd2 menet108_8x1_g3 mobilenet_wd4
mobilenetb_wd4 fdmobilenet_wd4 mobilenetv2_wd4 mobilenetv3_small_w7d20 igcv3_wd4 ghostnet mnasnet_small darts
proxylessnas_cpu fbnet_cb nasnet_4a1056 spnasnet efficientnet_b0 efficientnet_b0b efficientnet_edge_small_b mixnet_s
isqrtcovresnet18 resneta10 resnetd50b fastseresnet101b octresnet10_ad2 res2net50_w14_s8 resnet10_cub"""

_SMALL_IMAGES = """nin_cifar10 resnet20_cifar10 preresnet20_cifar10 resnext20_1x64d_cifar10 seresnet20_cifar10
sepreresnet20_cifar10 pyramidnet110_a48_cifar10 densenet40_k12_cifar10 xdensenet40_2_k24_bc_cifar10
wrn20_10_1bit_cifar10 ror3_56_cifar10 rir_cifar10 resdropresnet20_cifar10 shakeshakeresnet20_2x16d_cifar10
shakedropresnet20_cifar10 fractalnet_cifar10 diaresnet20_cifar10 octresnet20_ad2_cifar10"""

_LARGE_IMAGES = "xception inceptionv3 inceptionv4 inceptionresnetv1"

#: Networks that are told the size of their images, and the size.
_SIZED = {
    "fcn8sd_resnetd50b_voc": 64,
    "pspnet_resnetd50b_voc": 96,
    "deeplabv3_resnetd50b_voc": 64,
    "icnet_resnetd50b_cityscapes": 96,
    "fastscnn_cityscapes": 128,
    "cgnet_cityscapes": 64,
    "dabnet_cityscapes": 64,
    "sinet_cityscapes": 128,
    "bisenet_resnet18_celebamaskhq": 64,
    "danet_resnetd50b_cityscapes": 64,
    "fpenet_cityscapes": 64,
    "lednet_cityscapes": 64,
    "alphapose_fastseresnet101b_coco": 64,
    "simplepose_resnet18_coco": 64,
    "simplepose_mobile_resnet18_coco": 64,
    "lwopenpose2d_mobilenet_cmupan_coco": 64,
    "lwopenpose3d_mobilenet_cmupan_coco": 64,
    "ibppose_coco": 64,
    "centernet_resnet18_voc": 64,
}

#: Networks of images that are neither, and the shapes.
_OTHERS: dict[str, tuple[int, ...]] = {
    "lffd20x5s320v2_widerface": (1, 3, 160, 160),
    "ntsnet_cub": (1, 3, 448, 448),
}

#: Networks of faces that speak: shapes of the sound, and of what tells whose face it is.
_FACES: dict[str, tuple[tuple[int, ...], ...]] = {
    "voca8flame": ((2, 1, 16, 29), (2,)),
    "visemenet20": ((34, 8, 195), (34, 76)),
    "nvpattexp116bazel76": ((2, 8, 16, 29), (2,)),
}

#: Networks on spectrograms of several lengths.
_SPEECH = ("jasper5x3", "jasperdr10x5_en", "quartznet5x5_en_ls")
_BANDS, _FRAMES = 64, (40, 31)


def _model(name: str, *shape: int, **options: Any) -> Build:
    return lambda provider: (provider.get_model(name, **options), [image(*shape)])


def _face(name: str, sound: tuple[int, ...], whose: tuple[int, ...]) -> Build:
    return lambda provider: (provider.get_model(name), [image(*sound), mx.nd.full(whose, 3)])


def _speech(name: str) -> Build:
    def build(provider: Any) -> tuple[Any, list[Any]]:
        net = provider.get_model(name, in_channels=_BANDS, from_audio=False)
        return net, [image(len(_FRAMES), _BANDS, max(_FRAMES)), mx.nd.array(_FRAMES, dtype="int64")]

    return build


def _super_points(provider: Any) -> tuple[Any, list[Any]]:
    net = provider.get_model("superpointnet", hybridizable=True, batch_size=1, in_size=(32, 32))
    return net, [image(1, 1, 32, 32)]


#: What MXNet computes with oneDNN only.
_RECURRENT = {"visemenet20"}

#: Networks whose gradients would explode.
_STEEP = """resattnet56 darknet53 scnet50 espnetv2_wd2 dicenet_wd5 hardnet39ds igcv3_wd4 ghostnet darts fbnet_cb
xception sqnxt23_w1 shufflenet_g1_wd4 efficientnet_edge_small_b fastseresnet101b res2net50_w14_s8
pyramidnet110_a48_cifar10 ror3_56_cifar10 cgnet_cityscapes dabnet_cityscapes ibppose_coco ntsnet_cub sinet_cityscapes"""
_GAINS = dict.fromkeys(_STEEP.split(), 0.5)


def _builds() -> dict[str, Build]:
    builds = {name: _model(name, 1, 3, 224, 224) for name in _CLASSIFIERS.split()}
    builds.update({name: _model(name, 1, 3, 32, 32) for name in _SMALL_IMAGES.split()})
    builds.update({name: _model(name, 1, 3, 299, 299) for name in _LARGE_IMAGES.split()})
    builds.update({name: _model(name, 1, 3, side, side, in_size=(side, side)) for name, side in _SIZED.items()})
    builds.update({name: _model(name, *shape) for name, shape in _OTHERS.items()})
    builds.update({name: _face(name, *shapes) for name, shapes in _FACES.items()})
    builds.update({name: _speech(name) for name in _SPEECH})
    builds["superpointnet"] = _super_points
    return builds


NETWORKS: Networks = {
    name: Network("gluoncv2.model_provider", build, {} if name in _RECURRENT else WITHOUT_ONEDNN, _GAINS.get(name, 1.0))
    for name, build in _builds().items()
}
