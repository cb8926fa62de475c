// RUN: tensorlift-opt %s -p a2-narrow-types | filecheck %s

// A sum of two bytes fits 16 bits: cutting it there loses nothing.
// CHECK-LABEL: func.func @fits(
func.func @fits(%x: i8, %y: i8) -> i32 {
  // CHECK: %[[S:.*]] = arith.addi %{{.*}}, %{{.*}} : i32
  // CHECK-NEXT: func.return %[[S]]
  %a = arith.extsi %x : i8 to i32
  %b = arith.extsi %y : i8 to i32
  %s = arith.addi %a, %b : i32
  %t = arith.trunci %s : i32 to i16
  %r = arith.extsi %t : i16 to i32
  %u = arith.muli %s, %s : i32
  func.return %r : i32
}

// It does not fit 8 bits: the wrap stays.
// CHECK-LABEL: func.func @wraps(
func.func @wraps(%x: i8, %y: i8) -> i32 {
  // CHECK: arith.addi %x, %y : i8
  // CHECK-NEXT: arith.extsi
  %a = arith.extsi %x : i8 to i32
  %b = arith.extsi %y : i8 to i32
  %s = arith.addi %a, %b : i32
  %t = arith.trunci %s : i32 to i8
  %r = arith.extsi %t : i8 to i32
  func.return %r : i32
}

// What is never negative is zero-extended.
// CHECK-LABEL: func.func @positive(
func.func @positive(%x: i8) -> i32 {
  // CHECK: %[[H:.*]] = arith.shrui %x
  // CHECK-NEXT: arith.extui %[[H]] : i8 to i32
  %one = arith.constant 1 : i8
  %h = arith.shrui %x, %one : i8
  %r = arith.extsi %h : i8 to i32
  func.return %r : i32
}
