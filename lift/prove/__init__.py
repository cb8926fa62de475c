"""Proofs about lifted functions: lemmas over fresh variables, and congruence from them."""

from lift.prove.lemmas import Lemma, Prover
from lift.prove.session import Session, UnsoundPass

__all__ = ["Lemma", "Prover", "Session", "UnsoundPass"]
