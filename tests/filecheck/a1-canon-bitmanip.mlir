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

// A masked value and its masked sign bit are a masked value that is sign-extended.
// CHECK-LABEL: func.func @masked_sign(
func.func @masked_sign(%c: i1, %x: i8) -> i12 {
  // CHECK: %[[Y:.*]] = arith.select %c, %x, %{{.*}} : i8
  // CHECK-NEXT: %[[R:.*]] = arith.extsi %[[Y]] : i8 to i12
  // CHECK-NEXT: func.return %[[R]]
  %zero = arith.constant 0 : i8
  %c7 = arith.constant 7 : i8
  %c8 = arith.constant 8 : i12
  %y = arith.select %c, %x, %zero : i8
  %s = arith.shrui %x, %c7 : i8
  %sign = arith.trunci %s : i8 to i1
  %masked = arith.andi %c, %sign : i1
  %fill = arith.extsi %masked : i1 to i4
  %wide = arith.extui %fill : i4 to i12
  %high = arith.shli %wide, %c8 : i12
  %low = arith.extui %y : i8 to i12
  %r = arith.ori %low, %high : i12
  func.return %r : i12
}

// The same under another mask is something else.
// CHECK-LABEL: func.func @other_mask(
func.func @other_mask(%c: i1, %d: i1, %x: i8) -> i9 {
  // CHECK-NOT: arith.extsi
  // CHECK: arith.ori
  %zero = arith.constant 0 : i8
  %c7 = arith.constant 7 : i8
  %c8 = arith.constant 8 : i9
  %y = arith.select %c, %x, %zero : i8
  %s = arith.shrui %x, %c7 : i8
  %sign = arith.trunci %s : i8 to i1
  %masked = arith.andi %d, %sign : i1
  %wide = arith.extui %masked : i1 to i9
  %high = arith.shli %wide, %c8 : i9
  %low = arith.extui %y : i8 to i9
  %r = arith.ori %low, %high : i9
  func.return %r : i9
}

// The low bits of a sum are the sum of the low bits.
// CHECK-LABEL: func.func @split_sum(
func.func @split_sum(%a: i14) -> i14 {
  // CHECK: %[[S:.*]] = arith.addi %a, %{{.*}} : i14
  // CHECK-NEXT: func.return %[[S]]
  %one = arith.constant 1 : i14
  %one12 = arith.constant 1 : i12
  %c12 = arith.constant 12 : i14
  %s = arith.addi %a, %one : i14
  %h = arith.shrui %s, %c12 : i14
  %top = arith.trunci %h : i14 to i2
  %low = arith.trunci %a : i14 to i12
  %t = arith.addi %low, %one12 : i12
  %u = arith.extui %t : i12 to i14
  %v = arith.extui %top : i2 to i14
  %w = arith.shli %v, %c12 : i14
  %r = arith.ori %u, %w : i14
  func.return %r : i14
}
