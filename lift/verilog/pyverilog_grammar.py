"""pyverilog's grammar with what it lacks of Verilog-2005, and with what it loses kept.

Its parser is a class of productions (methods whose docstring is the rule), so ours adds and replaces methods:

| construct | pyverilog alone | here |
|---|---|---|
| `input signed [3:0] a, b` | b loses sign and net type | kept |
| `function integer f`, `parameter integer P` | the sign, the type is lost | kept |
| `function signed`, arguments in parentheses | no rule | `SignedFunction`, `Function` |
| generate-case, generate without `generate`, `for (genvar i...)` | no rule | `CaseStatement`, `InlineFor` |
| `repeat`, calls of tasks, outputs of tasks | no rule | `Repetition`, `TaskCall` |
| `assign a = b, c = d`, `wire a = b, c = d` | no rule | a group of items |
| `@x;` and `;` as statements | the same node | the text check leaves `;` only |
| delays before `if` | dropped | no delays; the text check refuses them |
"""

from __future__ import annotations

import warnings
from typing import Any

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # pyverilog leaves a file open and has invalid escape sequences
    import pyverilog.vparser.ast as tree
    from ply.yacc import NullLogger, yacc
    from pyverilog.vparser.lexer import VerilogLexer
    from pyverilog.vparser.parser import ParseError, VerilogParser

__all__ = ["InlineFor", "ParseError", "Parser", "Repetition", "SignedFunction", "TaskCall", "tree"]


class SignedFunction(tree.Function):
    """A function whose value is signed."""


class InlineFor(tree.ForStatement):
    """A generate loop that declares its own genvar."""


class Repetition(tree.WhileStatement):
    """`repeat (cond) statement`."""


class TaskCall(tree.FunctionCall):
    """A call of a task, a statement."""


class _Lexer(VerilogLexer):
    tokens = (*VerilogLexer.tokens, "REPEAT")
    reserved = VerilogLexer.reserved | {"repeat": "REPEAT"}


class Parser(VerilogParser):
    """The parser; `outputdir` keeps the tables of its grammar."""

    def __init__(self, outputdir: str) -> None:
        self.lexer = _Lexer(error_func=self._lexer_error_func)
        self.lexer.build()
        self.tokens = self.lexer.tokens
        options: dict[str, Any] = {"module": self, "start": "source_text", "debug": False, "outputdir": outputdir}
        self.parser = yacc(method="LALR", errorlog=NullLogger(), **options)

    # Declarations

    def create_ioport(self, sigtypes: Any, name: str, width: Any = None, dimensions: Any = None, lineno: int = 0) -> Any:
        port = _located(lineno, super().create_ioport, sigtypes, name, width, dimensions, lineno)
        port.sigtypes = sigtypes
        return port

    def create_decl(self, sigtypes: Any, name: str, width: Any = None, dimensions: Any = None, lineno: int = 0) -> Any:
        return _located(lineno, super().create_decl, sigtypes, name, width, dimensions, lineno)

    def create_declassign(self, sigtypes: Any, name: str, assign: Any, width: Any = None, lineno: int = 0) -> Any:
        return _located(lineno, super().create_declassign, sigtypes, name, assign, width, lineno)

    def p_ioports(self, p: Any) -> None:
        "ioports : ioports COMMA ioport"
        port, before = p[3], p[1][-1]
        if isinstance(port, str):
            port = self.create_ioport(before.sigtypes, port, before.first.width, None, p.lineno(3))
        _result(p, (*p[1], port))

    def p_ioport_integer(self, p: Any) -> None:
        """ioport : sigtypes INTEGER portname
        ioport_head : sigtypes INTEGER portname"""
        _result(p, self.create_ioport((*p[1], "signed"), p[3], _bits(31, p.lineno(2)), None, p.lineno(2)))

    def p_decl_integer(self, p: Any) -> None:
        "decl : sigtypes INTEGER declnamelist SEMICOLON"
        kinds, width = (*p[1], "signed"), _bits(31, p.lineno(2))
        _result(p, tree.Decl(tuple(d for name, _ in p[3] for d in self.create_decl(kinds, name, width, None, p.lineno(2))), lineno=p.lineno(1)))

    def p_declassign_several(self, p: Any) -> None:
        """declassign : sigtypes declassign_several SEMICOLON
        | sigtypes width declassign_several SEMICOLON"""
        width = p[2] if len(p) == 5 else None
        parts = [self.create_declassign(p[1], name, assign, width, assign.lineno) for name, assign in p[len(p) - 2]]
        _result(p, tree.Decl(tuple(x for part in parts for x in part), lineno=p.lineno(1)))

    def p_declassign_several_list(self, p: Any) -> None:
        """declassign_several : declassign_several COMMA declassign_element
        | declassign_element COMMA declassign_element"""
        _result(p, [*(p[1] if isinstance(p[1], list) else [p[1]]), p[3]])

    def p_param_integer(self, p: Any) -> None:
        "param : PARAMETER INTEGER param_substitution_list COMMA"
        _result(p, _integers(tree.Parameter, p))

    def p_param_end_integer(self, p: Any) -> None:
        "param_end : PARAMETER INTEGER param_substitution_list"
        _result(p, _integers(tree.Parameter, p))

    def p_parameterdecl_integer(self, p: Any) -> None:
        "parameterdecl : PARAMETER INTEGER param_substitution_list SEMICOLON"
        _result(p, _integers(tree.Parameter, p))

    def p_localparamdecl_integer(self, p: Any) -> None:
        "localparamdecl : LOCALPARAM INTEGER param_substitution_list SEMICOLON"
        _result(p, _integers(tree.Localparam, p))

    # Items

    def p_items(self, p: Any) -> None:
        "items : items item"
        p[1].append(p[2])  # pyverilog copies all items for each one
        _result(p, p[1])

    def p_items_one(self, p: Any) -> None:
        "items : item"
        _result(p, [p[1]])

    def p_items_empty(self, p: Any) -> None:
        "items : empty"
        p[0] = []

    def p_item_generate(self, p: Any) -> None:
        """item : generate_if
        | generate_for
        | generate_case
        generate_item : generate_case"""
        _result(p, p[1])

    def p_assignment_several(self, p: Any) -> None:
        "assignment : ASSIGN assignment_part COMMA assignment_parts SEMICOLON"
        _result(p, tree.GenerateStatement([p[2], *p[4]], lineno=p.lineno(1)))

    def p_assignment_parts(self, p: Any) -> None:
        """assignment_parts : assignment_parts COMMA assignment_part
        | assignment_part"""
        _result(p, [*p[1], p[3]] if len(p) == 4 else [p[1]])

    def p_assignment_part(self, p: Any) -> None:
        "assignment_part : lvalue EQUALS rvalue"
        _result(p, tree.Assign(p[1], p[3], lineno=p.lineno(1)))

    def p_assignment(self, p: Any) -> None:
        "assignment : ASSIGN assignment_part SEMICOLON"
        _result(p, p[2])

    # Without a rule for delays: the text check refuses them.
    p_assignment_delay: Any = None  # pyright: ignore[reportAssignmentType]

    def p_generate_case(self, p: Any) -> None:
        "generate_case : CASE LPAREN case_comp RPAREN generate_case_items ENDCASE"
        _result(p, tree.CaseStatement(p[3], p[5], lineno=p.lineno(1)))

    def p_generate_case_items(self, p: Any) -> None:
        """generate_case_items : generate_case_items generate_case_item
        | generate_case_item"""
        _result(p, (*p[1], p[2]) if len(p) == 3 else (p[1],))

    def p_generate_case_item(self, p: Any) -> None:
        """generate_case_item : casecontent_condition COLON generate_case_body
        | DEFAULT COLON generate_case_body"""
        _result(p, tree.Case(None if isinstance(p[1], str) else p[1], p[3], lineno=p.lineno(1)))

    def p_generate_case_body(self, p: Any) -> None:
        """generate_case_body : generate_item
        | generate_block
        | SEMICOLON"""
        _result(p, None if p[1] == ";" else p[1])

    def p_generate_for_inline(self, p: Any) -> None:
        "generate_for : FOR LPAREN GENVAR ID EQUALS rvalue SEMICOLON forcond forpost RPAREN generate_forcontent"
        left = tree.Lvalue(tree.Identifier(p[4], lineno=p.lineno(1)), lineno=p.lineno(1))
        start = tree.BlockingSubstitution(left, p[6], lineno=p.lineno(1))
        _result(p, InlineFor(start, p[8], p[9], p[11], lineno=p.lineno(1)))

    # Functions and tasks

    def p_function(self, p: Any) -> None:
        "function : FUNCTION function_type ID SEMICOLON function_statement ENDFUNCTION"
        _result(p, _function(p, p[5]))

    def p_function_nowidth(self, p: Any) -> None:
        "function : FUNCTION function_type ID LPAREN ioports RPAREN SEMICOLON subroutine_body ENDFUNCTION"
        _result(p, _function(p, (*_formals(p[5]), *p[8])))

    def p_function_integer(self, p: Any) -> None:
        """function_type : empty
        | width
        | SIGNED
        | SIGNED width
        | INTEGER"""
        signed = p[1] in ("signed", "integer")
        width = _bits(31, p.lineno(1)) if p[1] == "integer" else p[len(p) - 1]
        _result(p, (signed, width if isinstance(width, tree.Width) else None))

    def p_subroutine_body(self, p: Any) -> None:
        """subroutine_body : funcvardecls function_calc
        | function_calc"""
        _result(p, (*p[1], p[2]) if len(p) == 3 else (p[1],))

    def p_task_ports(self, p: Any) -> None:
        "task : TASK ID LPAREN ioports RPAREN SEMICOLON task_statement ENDTASK"
        _result(p, tree.Task(p[2], (*_formals(p[4]), *p[7]), lineno=p.lineno(1)))

    def p_taskvardecl(self, p: Any) -> None:
        """taskvardecl : decl
        | integerdecl"""
        _result(p, p[1])

    def p_task_calc_more(self, p: Any) -> None:
        """task_calc : nonblocking_substitution
        | single_statement"""
        _result(p, p[1])

    def p_single_statement_call(self, p: Any) -> None:
        """single_statement : functioncall SEMICOLON
        | identifier SEMICOLON"""
        call = p[1] if isinstance(p[1], tree.FunctionCall) else tree.FunctionCall(p[1], (), lineno=p.lineno(1))
        _result(p, TaskCall(call.name, call.args, lineno=p.lineno(1)))

    # Statements: without delays, so that a statement that begins with a name can be a call

    def p_blocking_substitution(self, p: Any) -> None:
        "blocking_substitution : lvalue EQUALS rvalue SEMICOLON"
        _result(p, tree.BlockingSubstitution(p[1], p[3], lineno=p.lineno(1)))

    def p_blocking_substitution_base(self, p: Any) -> None:
        "blocking_substitution_base : lvalue EQUALS rvalue"
        _result(p, tree.BlockingSubstitution(p[1], p[3], lineno=p.lineno(1)))

    def p_nonblocking_substitution(self, p: Any) -> None:
        "nonblocking_substitution : lvalue LE rvalue SEMICOLON"
        _result(p, tree.NonblockingSubstitution(p[1], p[3], lineno=p.lineno(1)))

    def p_repetition(self, p: Any) -> None:
        "basic_statement : REPEAT LPAREN expression RPAREN basic_statement"
        _result(p, Repetition(p[3], p[5], lineno=p.lineno(1)))

    def p_default_without_colon(self, p: Any) -> None:
        "casecontent_statement : DEFAULT basic_statement"
        _result(p, tree.Case(None, p[2], lineno=p.lineno(1)))


def _result(p: Any, value: Any) -> None:
    p[0] = value
    p.set_lineno(0, p.lineno(1))


def _located(line: int, create: Any, *arguments: Any) -> Any:
    try:
        return create(*arguments)
    except ParseError as error:
        raise ParseError(f"line:{line}: {error}") from None


def _bits(msb: int, line: int) -> Any:
    return tree.Width(tree.IntConst(str(msb), lineno=line), tree.IntConst("0", lineno=line), lineno=line)


def _integers(kind: type, p: Any) -> Any:
    line = p.lineno(3)
    return tree.Decl(tuple(kind(name, value, _bits(31, line), signed=True, lineno=line) for name, value in p[3]), lineno=p.lineno(1))


def _function(p: Any, statement: Any) -> Any:
    signed, width = p[2]
    return (SignedFunction if signed else tree.Function)(p[3], width or _bits(0, p.lineno(1)), statement, lineno=p.lineno(1))


def _formals(ports: Any) -> list[Any]:
    return [tree.Decl((port.first,), lineno=port.lineno) for port in ports]
