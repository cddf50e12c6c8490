import torch
import transformers as tf
tf.logging.set_verbosity_error()
torch.manual_seed(0); x=torch.randint(3,100,(2,12)); img=torch.randn(2,3,32,32)
S=dict(vocab_size=100,hidden_size=32,num_hidden_layers=2,num_attention_heads=4,intermediate_size=64,pad_token_id=0,bos_token_id=1,eos_token_id=2)
KV=dict(S,num_key_value_heads=2)
E=dict(vocab_size=100,d_model=32,encoder_layers=1,decoder_layers=1,encoder_attention_heads=4,decoder_attention_heads=4,encoder_ffn_dim=64,decoder_ffn_dim=64,pad_token_id=0,bos_token_id=1,eos_token_id=2,decoder_start_token_id=2,max_position_embeddings=64)
V=dict(hidden_size=32,num_hidden_layers=2,num_attention_heads=4,intermediate_size=64,image_size=32,patch_size=8)
lm=dict(input_ids=x,labels=x); cl=dict(input_ids=x,labels=torch.tensor([0,1])); vi=dict(pixel_values=img,labels=torch.tensor([0,1]))
T = [
    ("Qwen2","ForCausalLM",KV,lm),
    ("Qwen3","ForCausalLM",dict(KV,head_dim=8),lm),
    ("Mistral","ForCausalLM",KV,lm),
    ("Gemma","ForCausalLM",dict(KV,head_dim=8),lm),
    ("Gemma2","ForCausalLM",dict(KV,head_dim=8),lm),
    ("Phi","ForCausalLM",S,lm),
    ("Phi3","ForCausalLM",KV,lm),
    ("Mixtral","ForCausalLM",dict(KV,num_local_experts=4),lm),
    ("Qwen2Moe","ForCausalLM",dict(KV,num_experts=4,moe_intermediate_size=16,shared_expert_intermediate_size=16),lm),
    ("Falcon","ForCausalLM",S,lm),
    ("Bloom","ForCausalLM",dict(vocab_size=100,hidden_size=32,n_layer=2,n_head=4,pad_token_id=0),lm),
    ("OPT","ForCausalLM",dict(vocab_size=100,hidden_size=32,num_hidden_layers=2,num_attention_heads=4,ffn_dim=64,word_embed_proj_dim=32,pad_token_id=0,dropout=0.0),lm),
    ("GPTNeoX","ForCausalLM",S,lm),
    ("GPTJ","ForCausalLM",dict(vocab_size=100,n_embd=32,n_layer=2,n_head=4,rotary_dim=4,n_positions=64),lm),
    ("Cohere","ForCausalLM",KV,lm),
    ("Olmo","ForCausalLM",KV,lm),
    ("Starcoder2","ForCausalLM",KV,lm),
    ("StableLm","ForCausalLM",KV,lm),
    ("Mamba2","ForCausalLM",dict(vocab_size=100,hidden_size=32,num_hidden_layers=2,state_size=8,head_dim=16,num_heads=4,n_groups=1,expand=2,chunk_size=8),lm),
    ("FalconMamba","ForCausalLM",dict(vocab_size=100,hidden_size=32,num_hidden_layers=2),lm),
    ("Roberta","ForSequenceClassification",dict(S,max_position_embeddings=64),cl),
    ("DistilBert","ForSequenceClassification",dict(vocab_size=100,dim=32,n_layers=2,n_heads=4,hidden_dim=64),cl),
    ("DebertaV2","ForSequenceClassification",dict(S,relative_attention=True,pos_att_type=["p2c","c2p"],position_buckets=8,max_position_embeddings=64),cl),
    ("Electra","ForSequenceClassification",dict(S,embedding_size=16),cl),
    ("Albert","ForSequenceClassification",dict(S,embedding_size=16),cl),
    ("MPNet","ForSequenceClassification",S,cl),
    ("ModernBert","ForSequenceClassification",dict(S,cls_token_id=1,sep_token_id=2,local_attention=4),cl),
    ("XLMRoberta","ForTokenClassification",dict(S,max_position_embeddings=64),dict(input_ids=x,labels=x%2)),
    ("Bart","ForConditionalGeneration",E,lm),
    ("Marian","MTModel",E,lm),
    ("Pegasus","ForConditionalGeneration",E,lm),
    ("MBart","ForConditionalGeneration",E,lm),
    ("Swin","ForImageClassification",dict(image_size=32,patch_size=4,embed_dim=16,depths=[1,1],num_heads=[2,2],window_size=4),vi),
    ("ConvNext","ForImageClassification",dict(hidden_sizes=[8,16],depths=[1,1],num_stages=2),vi),
    ("ResNet","ForImageClassification",dict(embedding_size=8,hidden_sizes=[8,16],depths=[1,1],layer_type="basic"),vi),
    ("Dinov2","ForImageClassification",V,vi),
    ("Beit","ForImageClassification",V,vi),
    ("Segformer","ForImageClassification",dict(num_encoder_blocks=2,depths=[1,1],sr_ratios=[2,1],hidden_sizes=[8,16],patch_sizes=[7,3],strides=[4,2],num_attention_heads=[1,2],mlp_ratios=[2,2],decoder_hidden_size=16),vi),
    ("Wav2Vec2","ForCTC",dict(vocab_size=20,hidden_size=32,num_hidden_layers=2,num_attention_heads=4,intermediate_size=64,conv_dim=(8,8),conv_kernel=(5,3),conv_stride=(3,2),num_feat_extract_layers=2,num_conv_pos_embeddings=8,num_conv_pos_embedding_groups=2,feat_extract_norm="layer",mask_time_prob=0.0,layerdrop=0.0),dict(input_values=torch.randn(2,400),labels=torch.randint(1,20,(2,5)))),
    ("Siglip","Model",dict(text_config=dict(S,max_position_embeddings=32),vision_config=V),dict(input_ids=x,pixel_values=img,return_loss=True)),
    ("Blip","Model",dict(text_config=dict(S,encoder_hidden_size=32,max_position_embeddings=32),vision_config=V,projection_dim=16),dict(input_ids=x,pixel_values=img,return_loss=True)),
]
for name, kind, config, inputs in T:
    torch.manual_seed(1)
    model = getattr(tf, name + kind)(getattr(tf, name + "Config")(**config)).eval()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(2):
        loss = model(**inputs).loss
        optimizer.zero_grad(); loss.backward(); optimizer.step()
    print(name, loss, torch.stack([p.grad.norm() for p in model.parameters() if p.grad is not None]).norm())
