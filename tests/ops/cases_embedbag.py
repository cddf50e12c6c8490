"""Cases of bags of embeddings. Their second gradients are in torch refused: `SPECIAL` takes the first only."""

_BAGS = "i(5, 6), x(5, 4), torch.tensor([0, 2, 2])"
CASES = {
    "embedding_bag": [f"F.embedding_bag({_BAGS}, mode='max').detach()", f"F.embedding_bag({_BAGS}).detach()",
                      "F.embedding_bag(i(5, 6), x(5, 4).detach(), torch.tensor([0, 2, 4]), mode='sum', include_last_offset=True)"],
}
SPECIAL: dict = {
    "embedding_bag": [f"F.embedding_bag({_BAGS}, mode='sum')", f"F.embedding_bag({_BAGS})", f"F.embedding_bag({_BAGS}, mode='max')",
                      f"F.embedding_bag({_BAGS}, mode='mean', padding_idx=2)", f"F.embedding_bag({_BAGS}, mode='max', padding_idx=-2)",
                      f"F.embedding_bag({_BAGS}, mode='sum', padding_idx=1, per_sample_weights=x(6))",
                      f"F.embedding_bag({_BAGS}, mode='sum', per_sample_weights=x(6))",
                      "F.embedding_bag(torch.tensor([1, 1, 1]), x(5, 4), torch.tensor([0, 2]), mode='mean', scale_grad_by_freq=True)",
                      "F.embedding_bag(i(5, 3, 2), x(5, 4), mode='sum', per_sample_weights=x(3, 2))", "F.embedding_bag(i(5, 3, 2).int(), x(5, 4))",
                      "F.embedding_bag(i(5, 6), x(5, 4), torch.tensor([0, 2, 6]), mode='sum', include_last_offset=True)",
                      "F.embedding_bag(i(5, 6), x(5, 4), torch.tensor([0, 2, 6]), mode='max', include_last_offset=True)",
                      "F.embedding_bag(i(5, 6), x(5, 4) * 1, torch.tensor([0, 2, 2]), max_norm=0.5)",
                      "torch.embedding_bag(t([[1.], [nan], [2.], [nan]]), torch.tensor([0, 1, 2, 3, 1, 0]), torch.tensor([0, 4]), mode=2)",
                      "F.embedding_bag(i(5, 0), x(5, 4), torch.tensor([0, 0]))", "torch.embedding_bag(x(5, 4), i(5, 0), torch.tensor([0, 0]), mode=2)",
                      "torch.embedding_bag(x(5, 4), i(5, 6), torch.tensor([0, 2, 2]))", "torch.embedding_bag(x(5, 4).float(), i(5, 6), torch.tensor([0, 2, 2]))",
                      "torch.embedding_bag(x(5, 4), i(5, 6), torch.tensor([0, 2, 2]), mode=1)", "torch.embedding_bag(x(5, 4), i(5, 6).int(), torch.tensor([0, 2, 2]), mode=2)"],
}
ERRORS = {
    "embedding_bag": ["F.embedding_bag(i(5, 6), x(5, 4), torch.tensor([1, 2]))", "F.embedding_bag(i(5, 6), x(5, 4), torch.tensor([0, 9]))",
                      "F.embedding_bag(torch.tensor([1, 7]), x(5, 4), torch.tensor([0]), mode='max')", "F.embedding_bag(torch.tensor([1, -7]), x(5, 4), torch.tensor([0]))",
                      "F.embedding_bag(i(5, 6).short(), x(5, 4), torch.tensor([0]).short())", "F.embedding_bag(i(5, 6), x(5, 4))", "F.embedding_bag(i(5, 6), x(5), i(5, 2))",
                      "F.embedding_bag(i(5, 2, 6), x(5, 4), i(5, 2))", "F.embedding_bag(i(5, 2, 2, 6), x(5, 4))", "F.embedding_bag(i(5, 6), x(5, 4), i(5, 2, 2))",
                      "F.embedding_bag(i(5, 2, 6), x(5, 4), mode='foo')", "F.embedding_bag(i(5, 2, 6), x(5, 4), mode='max', sparse=True)",
                      "F.embedding_bag(i(5, 2, 6), x(5, 4), mode='max', scale_grad_by_freq=True)", "F.embedding_bag(i(5, 2, 6), x(5, 4), per_sample_weights=x(2, 6))",
                      "F.embedding_bag(i(5, 2, 6), x(5, 4), per_sample_weights=x(6))", "F.embedding_bag(i(5, 2, 6), x(5, 4), mode='sum', per_sample_weights=x(2, 6).double())",
                      "F.embedding_bag(i(5, 2, 6), x(5, 4), padding_idx=5)", "F.embedding_bag(i(5, 2, 6), i(5, 5, 4))", "torch.embedding_bag(x(5, 4), i(5, 6), torch.tensor([0]), mode=3)",
                      "torch.embedding_bag(x(5, 4), i(5, 6), torch.tensor([], dtype=torch.long), include_last_offset=True)"],
}
