"""The errors that a beginner meets, by kind of mistake."""

from tests.programs import same_as_torch

test_programs = same_as_torch("errors", "errors_dtypes", "errors_modules", "errors_products", "errors_shapes")
