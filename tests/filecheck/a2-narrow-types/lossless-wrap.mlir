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

// The bit that is cut may be any: what is known is known of the value before it is cut.
// CHECK-LABEL: func.func @top_bit(
func.func @top_bit(%a: i2, %b: i2) -> i2 {
  // CHECK: %[[H:.*]] = arith.shrui
  // CHECK-NEXT: func.return %[[H]]
  %one = arith.constant 1 : i2
  %s = arith.addi %a, %b : i2
  %h = arith.shrui %s, %one : i2
  %c = arith.trunci %h : i2 to i1
  %r = arith.extui %c : i1 to i2
  func.return %r : i2
}
