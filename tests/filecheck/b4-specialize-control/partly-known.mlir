// RUN: tensorlift-opt %s -p b4-specialize-control | filecheck %s

// Of {mode, act} one part is fixed: it is not 2'b01 with act 0, and still open with act 1.
// CHECK-LABEL: func.func @decoded__act_0(
// CHECK-NEXT: func.return %y
// CHECK-LABEL: func.func @decoded__act_1(
// CHECK: arith.cmpi
// CHECK: arith.select
func.func @decoded(%x: i8, %y: i8, %mode: i1 {rtl.name = "mode"}, %act: i1 {rtl.name = "act"}) -> i8 attributes {taidl.specialize = {act = [0, 1]}} {
  %one = arith.constant 1 : i2
  %m = arith.extui %mode : i1 to i2
  %a = arith.extui %act : i1 to i2
  %up = arith.shli %m, %one : i2
  %word = arith.ori %up, %a : i2
  %is = arith.cmpi eq, %word, %one : i2
  %r = arith.select %is, %x, %y : i8
  func.return %r : i8
}
