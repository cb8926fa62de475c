// RUN: tensorlift-opt %s -p b4-specialize-control | filecheck %s

// Two fields at once: one function for each combination.
// CHECK-LABEL: func.func @pe__dataflow_0__has_bias_0(
// CHECK-SAME: taidl.mode = {dataflow = 0 : i64, has_bias = 0 : i64}
// CHECK-NEXT: func.return %a
// CHECK-LABEL: func.func @pe__dataflow_0__has_bias_1(
// CHECK-SAME: taidl.mode = {dataflow = 0 : i64, has_bias = 1 : i64}
// CHECK-NEXT: %[[S:.*]] = arith.addi %a, %bias : i32
// CHECK-NEXT: func.return %[[S]]
// CHECK-LABEL: func.func @pe__dataflow_1__has_bias_0(
// CHECK-NEXT: func.return %b
// CHECK-LABEL: func.func @pe__dataflow_1__has_bias_1(
// CHECK-NEXT: %[[T:.*]] = arith.addi %b, %bias : i32
// CHECK-NEXT: func.return %[[T]]
func.func @pe(%a: i32, %b: i32, %bias: i32, %d: i1 {rtl.name = "dataflow"}, %h: i1 {rtl.name = "has_bias"}) -> i32
    attributes {taidl.specialize = {dataflow = [0 : i64, 1 : i64], has_bias = [0 : i64, 1 : i64]}} {
  %zero = arith.constant 0 : i32
  %x = arith.select %d, %b, %a : i32
  %y = arith.select %h, %bias, %zero : i32
  %r = arith.addi %x, %y : i32
  func.return %r : i32
}

// Without values for its fields the function stays as it is.
// CHECK-LABEL: func.func @untouched(
// CHECK: arith.select
func.func @untouched(%a: i32, %b: i32, %d: i1 {rtl.name = "dataflow"}) -> i32 {
  %r = arith.select %d, %b, %a : i32
  func.return %r : i32
}
