"""Functions of detectors that a converted module gets, as PyTorch itself has none of them."""

from __future__ import annotations

DETECTION_HELPERS = {
    "box_corners": '''
def box_corners(boxes):
    """Return boxes (x, y, width, height) around their centres as corners (x1, y1, x2, y2)."""
    middle, half = boxes[..., :2], boxes[..., 2:] / 2
    return torch.cat([middle - half, middle + half], dim=-1)
''',
    "box_centers": '''
def box_centers(boxes):
    """Return boxes (x1, y1, x2, y2) as (x, y, width, height) around their centres."""
    first, last = boxes[..., :2], boxes[..., 2:]
    return torch.cat([(first + last) / 2, last - first], dim=-1)
''',
    "box_iou": '''
def box_iou(left, right):
    """Return the intersection over union of each box with each of the others, given as corners; 0 for empty boxes."""
    one, other = left.reshape(-1, 1, 4), right.reshape(1, -1, 4)
    common = torch.minimum(one[..., 2:], other[..., 2:]) - torch.maximum(one[..., :2], other[..., :2])
    common = common.clamp(min=0).prod(dim=-1)
    union = (one[..., 2:] - one[..., :2]).prod(dim=-1) + (other[..., 2:] - other[..., :2]).prod(dim=-1) - common
    overlaps = torch.where(union > 0, common / union, torch.zeros_like(union))
    return overlaps.reshape(*left.shape[:-1], *right.shape[:-1])
''',
    "suppressed": '''
def suppressed(boxes, classes, threshold):
    """Return which boxes overlap a better one of their class that is kept; the best come first."""
    gone = torch.zeros(len(boxes), dtype=torch.bool, device=boxes.device)
    for k in range(len(boxes) - 1):
        if not gone[k]:
            hits = box_iou(boxes[k], boxes[k + 1 :]) > threshold
            if classes is not None:
                hits &= classes[k + 1 :] == classes[k]
            gone[k + 1 :] |= hits
    return gone
''',
    "box_nms": '''
def box_nms(
    data,
    overlap_thresh=0.5,
    valid_thresh=0.0,
    topk=-1,
    coord_start=2,
    score_index=1,
    id_index=-1,
    background_id=-1,
    force_suppress=False,
    in_format="corner",
    out_format="corner",
):
    """Return the boxes that overlap no better one, sorted by their scores, then rows of -1."""
    rows = data.reshape(-1, *data.shape[-2:])
    results = []
    for batch in rows:
        valid = batch[:, score_index] > valid_thresh
        if id_index >= 0:
            valid &= batch[:, id_index] != background_id
        best = batch[valid]
        best = best[best[:, score_index].argsort(descending=True, stable=True)]
        best = best[:topk] if topk > 0 else best
        boxes = best[:, coord_start : coord_start + 4]
        corners = box_corners(boxes) if in_format == "center" else boxes
        classes = None if force_suppress or id_index < 0 else best[:, id_index]
        if in_format != out_format:
            boxes = corners if out_format == "corner" else box_centers(boxes)
        best = torch.cat([best[:, :coord_start], boxes, best[:, coord_start + 4 :]], dim=1)
        best = best[~suppressed(corners.detach(), classes, overlap_thresh)]
        results.append(torch.cat([best, best.new_full((len(batch) - len(best), batch.shape[1]), -1)]))
    return torch.stack(results).reshape(data.shape)
''',
    "box_decode": '''
def box_decode(data, anchors, stds=(1.0, 1.0, 1.0, 1.0), clip=-1.0, form="center"):
    """Return boxes as corners, from their encoding relative to anchors."""
    own = box_centers(anchors) if form == "corner" else anchors
    scaled = data * data.new_tensor(stds)
    growth = scaled[..., 2:].clamp(max=clip) if clip > 0 else scaled[..., 2:]
    return box_corners(torch.cat([scaled[..., :2] * own[..., 2:] + own[..., :2], growth.exp() * own[..., 2:]], dim=-1))
''',
    "box_encode": '''
def box_encode(samples, matches, anchors, refs, means, stds):
    """Return the matched boxes encoded relative to their anchors, and a mask that is 1 for positive samples."""
    matched = box_centers(refs.gather(1, matches.long().unsqueeze(-1).expand(-1, -1, 4)))
    own = box_centers(anchors)
    moved = (matched[..., :2] - own[..., :2]) / own[..., 2:]
    targets = (torch.cat([moved, (matched[..., 2:] / own[..., 2:]).log()], dim=-1) - means) / stds
    mask = (samples > 0.5).unsqueeze(-1).expand_as(targets)
    return torch.where(mask, targets, torch.zeros_like(targets)), mask.to(anchors.dtype)
''',
    "multibox_prior": '''
def multibox_prior(data, sizes=(1.0,), ratios=(1.0,), clip=False, steps=(-1.0, -1.0), offsets=(0.5, 0.5)):
    """Return the anchors at each position of a feature map, as corners in fractions of the image: (1, anchors, 4)."""
    height, width = data.shape[2:]
    step_y, step_x = (1 / n if step <= 0 else step for step, n in zip(steps, (height, width)))
    shapes = [(size, ratios[0]) for size in sizes] + [(sizes[0], ratio) for ratio in ratios[1:]]
    halves = torch.tensor(
        [(size * height / width * math.sqrt(ratio) / 2, size / math.sqrt(ratio) / 2) for size, ratio in shapes],
        dtype=torch.float64,
    )
    y = ((torch.arange(height, dtype=torch.float64) + offsets[0]) * step_y).reshape(height, 1, 1)
    x = ((torch.arange(width, dtype=torch.float64) + offsets[1]) * step_x).reshape(1, width, 1)
    edges = torch.broadcast_tensors(x - halves[:, 0], y - halves[:, 1], x + halves[:, 0], y + halves[:, 1])
    anchors = torch.stack(edges, dim=-1).to(data).reshape(1, -1, 4)
    return anchors.clamp(0, 1) if clip else anchors
''',
    "multibox_target": '''
def multibox_target(
    anchor,
    label,
    cls_pred,
    overlap_threshold=0.5,
    ignore_label=-1.0,
    negative_mining_ratio=-1.0,
    negative_mining_thresh=0.5,
    minimum_negative_samples=0,
    variances=(0.1, 0.1, 0.2, 0.2),
):
    """Return the box targets, box masks and class targets (0: background) of each anchor, for training."""
    count = anchor.shape[1]
    boxes, masks = anchor.new_zeros(len(label), count, 4), anchor.new_zeros(len(label), count, 4)
    classes = anchor.new_full((len(label), count), ignore_label)
    for k, objects in enumerate(label):
        padding = (objects[:, 0] == -1).nonzero()
        objects = objects[: padding[0, 0]] if len(padding) else objects
        if not len(objects):
            continue
        overlaps = box_iou(anchor[0], objects[:, 1:5])
        # Each object gets its best anchor, then each anchor that is left its best object.
        owners, left = torch.full((count,), -1, device=anchor.device), overlaps.clone()
        for _ in objects:
            row, column = divmod(int(left.argmax()), len(objects))
            if left[row, column] <= 1e-6:
                break
            owners[row] = column
            left[row], left[:, column] = -1, -1
        best, nearest = overlaps.max(dim=1)
        owners = torch.where((owners < 0) & (best > overlap_threshold), nearest, owners)
        positive = owners >= 0
        negative = ~positive
        if negative_mining_ratio > 0:
            wanted = max(int(int(positive.sum()) * negative_mining_ratio), minimum_negative_samples)
            order = cls_pred[k].softmax(dim=0)[0].argsort(stable=True)
            order = order[(negative & (best < negative_mining_thresh))[order]]
            negative = torch.zeros_like(positive)
            negative[order[: min(wanted, count - int(positive.sum()))]] = True
        matched = objects[owners[positive]]
        box, own = box_centers(matched[:, 1:5]), box_centers(anchor[0, positive])
        moved = torch.cat([(box[:, :2] - own[:, :2]) / own[:, 2:], (box[:, 2:] / own[:, 2:]).log()], dim=1)
        boxes[k, positive] = moved / moved.new_tensor(variances)
        masks[k, positive] = 1
        classes[k, negative] = 0
        classes[k, positive] = matched[:, 0] + 1
    return boxes.flatten(1), masks.flatten(1), classes
''',
    "multibox_detection": '''
def multibox_detection(
    cls_prob,
    loc_pred,
    anchor,
    clip=True,
    threshold=0.01,
    nms_threshold=0.5,
    force_suppress=False,
    variances=(0.1, 0.1, 0.2, 0.2),
    nms_topk=-1,
):
    """Return (class, score, x1, y1, x2, y2) for each anchor, the best first; suppressed boxes have class -1."""
    results = []
    for probabilities, moves in zip(cls_prob, loc_pred):
        boxes = box_decode(moves.reshape(-1, 4), anchor[0], stds=variances, form="corner")
        boxes = boxes.clamp(0, 1) if clip else boxes
        scores, classes = probabilities[1:].max(dim=0)
        rows = torch.cat([classes.to(scores.dtype).unsqueeze(1), scores.unsqueeze(1), boxes], dim=1)
        rows = rows[scores >= threshold]
        rows = rows[rows[:, 1].argsort(descending=True, stable=True)]
        if 0 < nms_threshold <= 1:
            best = rows[:nms_topk].clone() if nms_topk > 0 else rows.clone()
            gone = suppressed(best[:, 2:].detach(), None if force_suppress else best[:, 0].detach(), nms_threshold)
            best[gone, 0] = -1
            rows = torch.cat([best, rows.new_full((len(rows) - len(best), 6), -1)])
        results.append(torch.cat([rows, rows.new_full((len(scores) - len(rows), 6), -1)]))
    return torch.stack(results)
''',
    "sample_weights": '''
def sample_weights(start, length, bins, samples, size):
    """Return a matrix (bins, size) that averages the interpolated samples of each bin along an axis."""
    step = length / bins
    count = samples if samples > 0 else max(math.ceil(step), 1)
    places = start + (torch.arange(bins * count, dtype=torch.float64) + 0.5) * (step / count)
    inside = ((places >= -1) & (places <= size)).double()
    places = places.clamp(0, size - 1)
    low = places.floor()
    matrix = torch.zeros(bins * count, size, dtype=torch.float64)
    matrix.scatter_(1, low.long().unsqueeze(1), ((low + 1 - places) * inside).unsqueeze(1))
    behind = (low + 1).clamp(max=size - 1).long().unsqueeze(1)
    matrix.scatter_add_(1, behind, ((places - low) * inside).unsqueeze(1))
    return matrix.reshape(bins, count, size).mean(dim=1)
''',
    "roi_align": '''
def roi_align(data, rois, pooled_size, spatial_scale, sample_ratio=-1, position_sensitive=False, aligned=False):
    """Average interpolated samples of each bin of each region (image, x1, y1, x2, y2); 0 for regions of no image."""
    rows, columns = pooled_size
    channels = data.shape[1] // (rows * columns) if position_sensitive else data.shape[1]
    results = []
    for image, *edges in rois.detach().double().tolist():
        if not 0 <= image < len(data):
            results.append(data.new_zeros(channels, rows, columns))
            continue
        x1, y1, x2, y2 = (edge * spatial_scale - (0.5 if aligned else 0.0) for edge in edges)
        height, width = (y2 - y1, x2 - x1) if aligned else (max(y2 - y1, 1.0), max(x2 - x1, 1.0))
        down = sample_weights(y1, height, rows, sample_ratio, data.shape[2]).to(data)
        across = sample_weights(x1, width, columns, sample_ratio, data.shape[3]).to(data)
        if position_sensitive:
            source = data[int(image)].reshape(channels, rows, columns, *data.shape[2:])
            results.append(torch.einsum("ih,jw,cijhw->cij", down, across, source))
        else:
            results.append(down @ data[int(image)] @ across.t())
    return torch.stack(results) if results else data.new_zeros(0, channels, rows, columns)
''',
    "roi_pooling": '''
def roi_pooling(data, rois, pooled_size, spatial_scale):
    """Return the largest element of each bin of each region (image, x1, y1, x2, y2); 0 for empty bins."""

    def rounded(number):
        return math.copysign(math.floor(abs(number) + 0.5), number)

    def limits(first, last, bins, size):
        start, end = rounded(first * spatial_scale), rounded(last * spatial_scale)
        step = max(end - start + 1, 1) / bins
        edges = [(start + math.floor(k * step), start + math.ceil((k + 1) * step)) for k in range(bins)]
        return [tuple(int(min(max(edge, 0), size)) for edge in pair) for pair in edges]

    result = data.new_zeros(len(rois), data.shape[1], *pooled_size)
    for k, (image, x1, y1, x2, y2) in enumerate(rois.detach().double().tolist()):
        if not 0 <= image < len(data):
            continue
        for i, (top, bottom) in enumerate(limits(y1, y2, pooled_size[0], data.shape[2])):
            for j, (left, right) in enumerate(limits(x1, x2, pooled_size[1], data.shape[3])):
                if top < bottom and left < right:
                    result[k, :, i, j] = data[int(image), :, top:bottom, left:right].amax(dim=(1, 2))
    return result
''',
    "deformable_convolution": '''
def deformable_convolution(
    data, offset, weight, bias=None, mask=None, stride=(1, 1), padding=(0, 0), dilation=(1, 1), groups=1, parts=1
):
    """Convolve with windows whose elements are moved by offsets (y, x), and multiplied by a mask if there is one.

    `parts` of the channels have offsets of their own. Positions outside read 0; without a mask, those that are beyond
    the last row or column by less than one element read it.
    """
    batch, channels, *sizes = data.shape
    kernel, counts = weight.shape[2:], offset.shape[2:]
    moved = offset.reshape(batch * parts, *kernel, 2, *counts)
    places = []
    for axis in range(2):
        inner = torch.arange(kernel[axis], device=data.device) * dilation[axis]
        outer = torch.arange(counts[axis], device=data.device) * stride[axis] - padding[axis]
        shape = [1, 1, 1, 1]
        shape[axis], shape[axis + 2] = len(inner), len(outer)
        base = (inner[:, None] + outer).reshape(shape)
        place = (moved[:, :, :, axis] + base).reshape(batch * parts, -1, counts[1])
        if mask is None:
            outside = (place < 0) | (place >= sizes[axis])
            place = torch.where(outside, place.new_tensor(-2.0), place.clamp(max=sizes[axis] - 1))
        places.append((2 * place + 1) / sizes[axis] - 1)
    grid = torch.stack(places[::-1], dim=-1)
    source = data.reshape(batch * parts, channels // parts, *sizes)
    values = F.grid_sample(source, grid, padding_mode="zeros", align_corners=False)
    values = values.reshape(batch * parts, channels // parts, -1, counts[0] * counts[1])
    if mask is not None:
        values = values * mask.reshape(batch * parts, 1, -1, counts[0] * counts[1])
    columns = values.reshape(batch, groups, -1, counts[0] * counts[1])
    result = (weight.reshape(groups, -1, columns.shape[2]) @ columns).reshape(batch, len(weight), *counts)
    return result if bias is None else result + bias.reshape(-1, 1, 1)
''',
}
