// RUN: tensorlift-opt %s -p a1-canon-bitmanip | filecheck %s

// A replicated sign bit is a sign extension.
// CHECK-LABEL: func.func @sign(
func.func @sign(%p: i4) -> i7 {
  %c3 = arith.constant 3 : i4
  %c4 = arith.constant 4 : i7
  %c5 = arith.constant 5 : i7
  %c6 = arith.constant 6 : i7
  %m = arith.shrui %p, %c3 : i4
  %s = arith.trunci %m : i4 to i1
  %low = arith.extui %p : i4 to i7
  %e = arith.extui %s : i1 to i7
  %e4 = arith.shli %e, %c4 : i7
  %e5 = arith.shli %e, %c5 : i7
  %e6 = arith.shli %e, %c6 : i7
  %a = arith.ori %low, %e4 : i7
  %b = arith.ori %a, %e5 : i7
  %r = arith.ori %b, %e6 : i7
  // CHECK-NEXT: %[[R:.*]] = arith.extsi %{{.*}} : i4 to i7
  // CHECK-NEXT: func.return %[[R]]
  func.return %r : i7
}

// Re-slicing a concatenation gives the part back.
// CHECK-LABEL: func.func @slice(
func.func @slice(%hi: i8, %lo: i8) -> i8 {
  %c8 = arith.constant 8 : i16
  %h = arith.extui %hi : i8 to i16
  %l = arith.extui %lo : i8 to i16
  %hs = arith.shli %h, %c8 : i16
  %w = arith.ori %hs, %l : i16
  %d = arith.shrui %w, %c8 : i16
  %r = arith.trunci %d : i16 to i8
  // CHECK-NEXT: func.return %hi
  func.return %r : i8
}

// A byte that is not the sign byte repeated stays a concatenation: nothing is rewritten.
// CHECK-LABEL: func.func @wrong_bit(
func.func @wrong_bit(%p: i4) -> i5 {
  // CHECK: arith.shrui
  // CHECK: arith.ori
  %c2 = arith.constant 2 : i4
  %c4 = arith.constant 4 : i5
  %m = arith.shrui %p, %c2 : i4
  %s = arith.trunci %m : i4 to i1
  %low = arith.extui %p : i4 to i5
  %e = arith.extui %s : i1 to i5
  %e4 = arith.shli %e, %c4 : i5
  %r = arith.ori %low, %e4 : i5
  func.return %r : i5
}

// An or of values that overlap is no concatenation.
// CHECK-LABEL: func.func @overlap(
func.func @overlap(%a: i8, %b: i8) -> i8 {
  // CHECK-NEXT: arith.ori
  %r = arith.ori %a, %b : i8
  func.return %r : i8
}

// CHECK-LABEL: func.func @shared(
func.func @shared(%a: i8, %b: i8) -> i8 {
  // CHECK-NEXT: %[[S:.*]] = arith.addi
  // CHECK-NEXT: %[[R:.*]] = arith.muli %[[S]], %[[S]]
  %x = arith.addi %a, %b : i8
  %y = arith.addi %b, %a : i8
  %dead = arith.subi %a, %b : i8
  %r = arith.muli %x, %y : i8
  func.return %r : i8
}
