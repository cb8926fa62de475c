// RUN: tensorlift-opt %s -p a1-canon-bitmanip | filecheck %s

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
