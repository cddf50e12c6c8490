import tempfile
import torch
from sentence_transformers import InputExample, SentenceTransformer, losses, models, util
from tokenizers import Tokenizer, models as tokenizer_models, pre_tokenizers
from transformers import BertConfig, BertModel, PreTrainedTokenizerFast
torch.manual_seed(0)
names = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "the", "cat", "sat", "on", "mat", "dog", "ran", "a", "bird", "sang"]
words = Tokenizer(tokenizer_models.WordLevel({w: i for i, w in enumerate(names)}, unk_token="[UNK]")); words.pre_tokenizer = pre_tokenizers.Whitespace()
with tempfile.TemporaryDirectory() as folder:
    PreTrainedTokenizerFast(tokenizer_object=words, pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]", sep_token="[SEP]", model_max_length=16).save_pretrained(folder)
    BertModel(BertConfig(vocab_size=14, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0)).save_pretrained(folder)
    word = models.Transformer(folder, max_seq_length=16)
    pooling = models.Pooling(word.get_word_embedding_dimension())
    model = SentenceTransformer(modules=[word, pooling, models.Normalize()], device="cpu")
    sentences = ["the cat sat on the mat", "a dog ran", "the bird sang"]
    print(model.encode(sentences)[:, :3], model.similarity(model.encode(sentences), model.encode(sentences)))
    pairs = model.tokenize(sentences), model.tokenize(["a cat sat", "the dog ran", "a bird"])
    for loss_of, labels in ((losses.MultipleNegativesRankingLoss(model), None), (losses.CosineSimilarityLoss(model), torch.tensor([0.9, 0.8, 0.1])), (losses.ContrastiveLoss(model), torch.tensor([1, 1, 0]))):
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
        model.train()
        for i in range(2):
            loss = loss_of([dict(p) for p in pairs], labels)
            optimizer.zero_grad(); loss.backward(); optimizer.step()
            print(type(loss_of).__name__, i, loss)
    model.eval(); model.save(folder + "/saved")
    again = SentenceTransformer(folder + "/saved", device="cpu")
    print(abs(again.encode(sentences) - model.encode(sentences)).max(), again.get_sentence_embedding_dimension())
    embeddings = model.encode(sentences, convert_to_tensor=True)
    print(util.semantic_search(embeddings[:1], embeddings, top_k=2), util.community_detection(embeddings, threshold=0.1, min_community_size=1), util.pytorch_cos_sim(embeddings, embeddings)[0])
