// RUN: tensorlift-opt %s -p b4-specialize-control{each="act"} | filecheck %s

// A field of two bits has four values.
// CHECK-LABEL: func.func @lane__act_0(
// CHECK-NEXT: func.return %x
// CHECK-LABEL: func.func @lane__act_1(
// CHECK-NOT: arith.cmpi eq
// CHECK: arith.select
// CHECK-LABEL: func.func @lane__act_2(
// CHECK-NEXT: func.return %x
// CHECK-LABEL: func.func @lane__act_3(
// CHECK-SAME: taidl.mode = {act = 3 : i64}
// CHECK-NEXT: func.return %x
func.func @lane(%x: i32, %act: i2 {rtl.name = "act"}) -> i32 {
  %one = arith.constant 1 : i2
  %zero = arith.constant 0 : i32
  %is = arith.cmpi eq, %act, %one : i2
  %negative = arith.cmpi slt, %x, %zero : i32
  %relu = arith.select %negative, %zero, %x : i32
  %r = arith.select %is, %relu, %x : i32
  func.return %r : i32
}

// Without the field nothing is folded, even if it could be.
// CHECK-LABEL: func.func @other(
// CHECK-SAME: %mode: i2 {rtl.name = "mode"}
// CHECK: arith.cmpi
func.func @other(%x: i32, %mode: i2 {rtl.name = "mode"}) -> i1 {
  %one = arith.constant 1 : i2
  %r = arith.cmpi eq, %mode, %one : i2
  func.return %r : i1
}
