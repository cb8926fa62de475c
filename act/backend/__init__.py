"""The generic compiler backend: an HLO module and the selectors that `act.generator` derived from a TAIDL file become a program."""
