"""Reports of tests -> claims: design, instruction, state variable, step and result, as plain data; and their summaries.

`STEPS` says of every test of this folder to which step of the chain it belongs and what passing it means.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Literal, NamedTuple

Kind = Literal["proved", "tested", "can fail"]
Claim = dict[str, Any]

DOUBTFUL = ("refuted", "unknown", "not proved")

RTL, LIFTED, STATED, OVERLAP, ACT, CHECKS = "1 RTL", "2 passes", "3 specification", "overlap", "act", "checks"


class Step(NamedTuple):
    stage: str
    what: str
    kind: Kind = "proved"


STEPS: dict[str, Step] = {
    "test_definitions.test_a_definition_is_the_reading_by_yosys": Step(RTL, "next state = reading by yosys"),
    "test_definitions.test_the_rtl_does_what_the_counterexample_says": Step(CHECKS, "a counterexample is replayed", "can fail"),
    "test_specification_mutations.test_the_rtl_does_what_the_counterexample_says": Step(CHECKS, "a counterexample is replayed", "can fail"),
    "test_mutations.test_the_rtl_does_what_the_function_before_the_wrong_pass_does": Step(CHECKS, "a counterexample is replayed", "can fail"),
    "test_vta_lifted.test_a_definition_is_the_reading_by_yosys": Step(RTL, "next state = reading by yosys"),
    "test_vta_lifted.test_the_idle_state_lasts": Step(RTL, "the idle state lasts"),
    "test_vta_lifted.test_the_instruction_changes_these_state_variables_and_no_other": Step(LIFTED, "effects"),
    "test_vta_lifted.test_every_application_is_proved": Step(LIFTED, "every application of a pass"),
    "test_vta_lifted.test_the_lifted_function_is_the_unlifted_one": Step(LIFTED, "after = before, whole"),
    "test_vta_lifted.test_the_lifted_function_does_what_the_unlifted_one_does": Step(LIFTED, "after = before, executed", "tested"),
    "test_vta_lifted.test_the_specification_does_what_was_lifted": Step(STATED, "text = lifted function"),
    "test_vta_lifted.test_the_specification_changes_nothing_else": Step(STATED, "nothing else changes"),
    "test_vta_lifted.test_the_encoding_selects_modes_that_were_compared": Step(STATED, "encoding"),
    "test_yosys.test_unlifted_is_the_reading_by_yosys": Step(RTL, "PE = reading by yosys"),
    "test_yosys.test_the_reading_by_yosys_is_not_contradictory": Step(CHECKS, "assumptions are possible"),
    "test_yosys.test_a_difference_between_the_readings_is_found": Step(CHECKS, "a wrong reading is refuted", "can fail"),
    "test_rest.test_a_part_stays_at_rest": Step(RTL, "the idle state lasts"),
    "test_rest.test_no_part_is_left_out": Step(RTL, "the idle state lasts"),
    "test_rest.test_control_hangs_together_in_every_cycle": Step(OVERLAP, "at rest when a command is accepted"),
    "test_rest.test_a_row_is_in_one_place_of_every_line": Step(OVERLAP, "at rest when a command is accepted"),
    "test_rest.test_the_machine_is_at_rest_when_a_command_is_accepted": Step(OVERLAP, "at rest when a command is accepted"),
    "test_rest.test_what_is_left_in_pipelines_does_not_matter": Step(OVERLAP, "what is left in pipelines does not matter"),
    "test_rest.test_the_invariant_leaves_every_state_of_control_possible": Step(CHECKS, "assumptions are possible"),
    "test_rest.test_a_mutation_of_the_pipelines_is_refuted": Step(CHECKS, "wrong RTL is refuted", "can fail"),
    "test_passes.test_the_instruction_changes_these_state_variables_and_no_other": Step(LIFTED, "effects"),
    "test_passes.test_every_instruction_is_lifted": Step(LIFTED, "effects"),
    "test_passes.test_every_application_is_proved": Step(LIFTED, "every application of a pass"),
    "test_passes.test_the_lifted_function_is_the_unlifted_one": Step(LIFTED, "after = before, whole"),
    "test_passes.test_the_lifted_function_does_what_the_unlifted_one_does": Step(LIFTED, "after = before, executed", "tested"),
    "test_specification.test_the_specification_does_what_was_lifted": Step(STATED, "text = lifted function"),
    "test_specification.test_the_specification_changes_nothing_else": Step(STATED, "nothing else changes"),
    "test_specification.test_the_encoding_selects_the_instruction_and_keeps_within_its_bounds": Step(STATED, "encoding"),
    "test_specification.test_no_command_is_two_instructions": Step(STATED, "encoding"),
    "test_specification.test_no_command_is_left_out": Step(STATED, "encoding"),
    "test_specification.test_arrays_that_are_named_exist": Step(STATED, "encoding"),
    "test_specification.test_every_instruction_of_the_specification_is_compared": Step(STATED, "nothing is left out"),
    "test_vta_overlap.test_all_units_can_be_at_work_at_once": Step(CHECKS, "assumptions are possible"),
    "test_overlap.test_one_command_is_in_flight": Step(OVERLAP, "one command in flight"),
    "test_overlap.test_a_controller_without_a_command_does_not_become_busy": Step(OVERLAP, "one command in flight"),
    "test_overlap.test_when_a_command_is_accepted_no_controller_is_busy": Step(OVERLAP, "one command in flight"),
    "test_overlap.test_a_command_goes_to_the_controller_that_executes_it": Step(STATED, "encoding, at the controllers"),
    "test_overlap.test_a_mutation_of_the_issue_stage_is_refuted": Step(CHECKS, "wrong RTL is refuted", "can fail"),
}
# Files whose other tests are all of one step.
FILES: dict[str, Step] = {
    "test_pe": Step(LIFTED, "PE: after = before = its specification"),
    "test_addresses": Step(STATED, "moves = a statement of them"),
    "test_compute": Step(STATED, "products = a statement of them"),
    "test_configuration": Step(STATED, "registers = a statement of them"),
    "test_controllers": Step(STATED, "requests of the controllers, by induction"),
    "test_composites": Step(STATED, "composite = its parts one after the other"),
    "test_vta": Step(STATED, "encoding"),
    "test_stated": Step(RTL, "small modules = a statement of them"),
    "test_vta_mutations": Step(CHECKS, "a wrong specification is refuted", "can fail"),
    "test_vta_tokens": Step(OVERLAP, "tokens of modules that run side by side"),
    "test_vta_overlap": Step(OVERLAP, "tokens order all that modules share"),
    "test_vta_symmetry": Step(STATED, "one index generator for the operands of a product"),
    "test_limits": Step(CHECKS, "limits", "tested"),
    "test_claims": Step(CHECKS, "the account of the proofs", "tested"),
    "test_rules": Step(ACT, "rewrite rule is sound, integers of a few bits"),
    "test_programs": Step(ACT, "program = kernel"),
    "test_mutations": Step(CHECKS, "wrong RTL and wrong results of passes are refuted", "can fail"),
    "test_specification_mutations": Step(CHECKS, "a wrong specification is refuted", "can fail"),
    "test_window_mutations": Step(CHECKS, "a wrong specification is refuted", "can fail"),
}
SAMPLED = frozenset({"test_stated_rounding_is_to_the_nearest_integer_ties_to_even", "test_stated_clip_is_the_nearest_20_bit_integer"})


def step_of(test: str) -> Step:
    """The step of a test `file.function`; KeyError for one that nobody has put into the table."""
    if test in STEPS:
        return STEPS[test]
    file, _, function = test.partition(".")
    found = FILES[file]
    if "refuted" in function or "wrong" in function:
        return Step(CHECKS, "wrong statements are refuted", "can fail")
    return found._replace(kind="tested") if function in SAMPLED else found


def files_of(stage: str) -> set[str]:
    """The files that have tests of a stage."""
    return {name.partition(".")[0] for name, step in {**STEPS, **FILES}.items() if step.stage == stage}


def claims_of(identifier: str, outcome: str, seconds: float, properties: Mapping[str, Any], text: str = "") -> list[Claim]:
    """What one test says: the claims it recorded, else one.  `outcome` is pytest's, `text` its message on failure."""
    path, _, name = identifier.partition("::")
    file, function = path.rpartition("/")[2].removesuffix(".py"), name.partition("[")[0]
    step, parameters = step_of(f"{file}.{function}"), properties.get("parameters", {})
    about = {"test": identifier, "design": "vta" if "vta" in identifier.lower() else "gemmini", "stage": step.stage, "step": step.what, "kind": step.kind}
    known = {k: parameters[k] for k in ("dim", "instruction", "module", "unit") if k in parameters}
    effect = next((parameters[k] for k in ("target", "place", "part", "name") if k in parameters), None)
    whole: Claim = about | known | {"effect": effect, "seconds": round(seconds, 3), "rlimit": properties.get("rlimit", 0)}
    whole["queries"] = properties.get("queries", 0)
    if "second" in properties:
        whole["second"] = properties["second"]
    if "counterexample" in properties:
        whole["counterexample"] = properties["counterexample"]
    recorded = [whole | each | {"result": each["result"] if each["result"] != "proved" else step.kind} for each in properties.get("claims") or ()]
    if recorded and (outcome == "passed" or any(each["result"] in DOUBTFUL for each in recorded)):
        return recorded
    return [*recorded, whole | {"result": _result(outcome, step.kind, text)}]  # what went wrong is none of the recorded claims


def _result(outcome: str, kind: Kind, text: str) -> str:
    if outcome == "passed":
        return kind
    if outcome == "skipped":
        return "not run"
    return "unknown" if "Undecided" in text else "refuted" if "Refuted" in text else "failed"


def second_solver(claims: Iterable[Claim]) -> dict[str, int]:
    """How many queries of all tests it agreed on, did not decide, and decided alone; empty if it was not asked."""
    found = Counter[str]()
    for counted in {c["test"]: c.get("second", {}) for c in claims}.values():
        found.update(counted)
    return dict(found)


def counts(claims: Iterable[Claim]) -> dict[str, int]:
    return dict(Counter(c["result"] for c in claims))


def summary(claims: Iterable[Claim]) -> list[tuple[str, str, dict[str, int], float, int]]:
    """(stage, step, results, seconds, resource units) in the order of the stages."""
    groups: dict[tuple[str, str], list[Claim]] = {}
    for claim in claims:
        groups.setdefault((claim["stage"], claim["step"]), []).append(claim)
    order = [RTL, LIFTED, STATED, OVERLAP, ACT, CHECKS]
    rows = [(s, w, counts(g), sum(c["seconds"] for c in g), sum(c["rlimit"] for c in g)) for (s, w), g in groups.items()]
    return sorted(rows, key=lambda row: (order.index(row[0]), row[1]))


__all__ = ["FILES", "LIFTED", "OVERLAP", "RTL", "STATED", "STEPS", "claims_of", "counts", "files_of", "second_solver", "step_of", "summary"]
