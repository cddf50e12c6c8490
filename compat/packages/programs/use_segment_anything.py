import io
import numpy as np
import torch
from segment_anything import SamAutomaticMaskGenerator, SamPredictor
from segment_anything.modeling import ImageEncoderViT, MaskDecoder, PromptEncoder, Sam, TwoWayTransformer
torch.manual_seed(0)
side = 64
sam = Sam(image_encoder=ImageEncoderViT(img_size=side, patch_size=16, embed_dim=16, depth=2, num_heads=2, mlp_ratio=2, out_chans=16, qkv_bias=True, use_rel_pos=True, window_size=3, global_attn_indexes=[1]),
          prompt_encoder=PromptEncoder(embed_dim=16, image_embedding_size=(4, 4), input_image_size=(side, side), mask_in_chans=8),
          mask_decoder=MaskDecoder(num_multimask_outputs=3, transformer=TwoWayTransformer(depth=2, embedding_dim=16, mlp_dim=32, num_heads=2), transformer_dim=16, iou_head_depth=2, iou_head_hidden_dim=16))
with torch.no_grad():
    for p in sam.image_encoder.parameters(): p.add_(torch.randn_like(p) * 0.05)
image = np.random.default_rng(0).integers(0, 255, (48, 64, 3), dtype=np.uint8)
predictor = SamPredictor(sam); predictor.set_image(image)
masks, scores, logits = predictor.predict(point_coords=np.array([[20, 20], [40, 30]]), point_labels=np.array([1, 0]), multimask_output=True); print(masks.shape, masks.sum(), scores, np.abs(logits).mean())
masks, scores, logits = predictor.predict(box=np.array([5, 5, 40, 40]), mask_input=logits[:1], multimask_output=False); print(masks.shape, masks.sum(), scores)
with torch.no_grad():
    out = sam([{"image": torch.rand(3, 64, 64) * 255, "original_size": (64, 64), "point_coords": torch.tensor([[[10.0, 12.0]]]), "point_labels": torch.ones(1, 1)}, {"image": torch.rand(3, 48, 64) * 255, "original_size": (48, 64), "boxes": torch.tensor([[4.0, 4, 30, 30]])}], multimask_output=True)
for each in out: print(each["masks"].shape, each["masks"].sum(), each["iou_predictions"], each["low_res_logits"].std())
optimizer = torch.optim.AdamW(sam.parameters(), lr=1e-3)
for i in range(3):
    features = sam.image_encoder(sam.preprocess(torch.ones(1, 3, 64, 64) * 100))
    sparse, dense = sam.prompt_encoder((torch.tensor([[[10.0, 12.0]]]), torch.ones(1, 1)), None, None)
    low, iou = sam.mask_decoder(image_embeddings=features, image_pe=sam.prompt_encoder.get_dense_pe(), sparse_prompt_embeddings=sparse, dense_prompt_embeddings=dense, multimask_output=False)
    loss = torch.nn.functional.binary_cross_entropy_with_logits(low, torch.ones_like(low)) + iou.pow(2).mean(); optimizer.zero_grad(); loss.backward(); optimizer.step(); print(i, loss)
file = io.BytesIO(); torch.save(sam.state_dict(), file); file.seek(0); print(sam.load_state_dict(torch.load(file)))
found = SamAutomaticMaskGenerator(sam, points_per_side=3, pred_iou_thresh=-1e9, stability_score_thresh=-1.0, box_nms_thresh=0.9).generate(image); print(len(found), [(each["area"], each["bbox"]) for each in found[:3]])
