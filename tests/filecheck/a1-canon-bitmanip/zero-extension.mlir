// RUN: tensorlift-opt %s -p a1-canon-bitmanip | filecheck %s

// Zeros put above a value bit by bit are its zero extension.
// CHECK-LABEL: func.func @bit_by_bit(
func.func @bit_by_bit(%x: i3) -> i6 {
  // CHECK-NEXT: %[[R:.*]] = arith.extui %x : i3 to i6
  // CHECK-NEXT: func.return %[[R]]
  %c1 = arith.constant 1 : i3
  %c2 = arith.constant 2 : i3
  %p1 = arith.constant 1 : i6
  %p2 = arith.constant 2 : i6
  %b0 = arith.trunci %x : i3 to i1
  %s1 = arith.shrui %x, %c1 : i3
  %b1 = arith.trunci %s1 : i3 to i1
  %s2 = arith.shrui %x, %c2 : i3
  %b2 = arith.trunci %s2 : i3 to i1
  %w0 = arith.extui %b0 : i1 to i6
  %w1 = arith.extui %b1 : i1 to i6
  %w2 = arith.extui %b2 : i1 to i6
  %m1 = arith.shli %w1, %p1 : i6
  %m2 = arith.shli %w2, %p2 : i6
  %o = arith.ori %w0, %m1 : i6
  %r = arith.ori %o, %m2 : i6
  func.return %r : i6
}

// The sign extension of what a zero was put above is a zero extension.
// CHECK-LABEL: func.func @sign_of_zero(
func.func @sign_of_zero(%x: i8) -> i32 {
  // CHECK-NEXT: %[[R:.*]] = arith.extui %x : i8 to i32
  // CHECK-NEXT: func.return %[[R]]
  %u = arith.extui %x : i8 to i9
  %r = arith.extsi %u : i9 to i32
  func.return %r : i32
}

// Bits in another order are no extension.
// CHECK-LABEL: func.func @swapped_bits(
func.func @swapped_bits(%x: i2) -> i4 {
  // CHECK: arith.ori
  // CHECK: return
  %c1 = arith.constant 1 : i2
  %p1 = arith.constant 1 : i4
  %b0 = arith.trunci %x : i2 to i1
  %s1 = arith.shrui %x, %c1 : i2
  %b1 = arith.trunci %s1 : i2 to i1
  %w0 = arith.extui %b0 : i1 to i4
  %w1 = arith.extui %b1 : i1 to i4
  %m = arith.shli %w0, %p1 : i4
  %r = arith.ori %w1, %m : i4
  func.return %r : i4
}
