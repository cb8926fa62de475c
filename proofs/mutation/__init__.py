"""Wrong designs, wrong pass results, wrong instruction sets and wrong rewrite rules, and what becomes of each."""
