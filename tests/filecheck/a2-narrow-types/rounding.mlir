// RUN: tensorlift-opt %s -p a2-narrow-types | filecheck %s

// A number of 20 bits, rounded, has 20 bits: it is never clipped.
// CHECK-LABEL: func.func @rounded(
func.func @rounded(%narrow: i20, %s: i5) -> i32 {
  // CHECK: %[[R:.*]] = arith.addi %kept, %bit : i32
  // CHECK-NEXT: %[[T:.*]] = arith.trunci %[[R]] : i32 to i20
  // CHECK-NEXT: %[[E:.*]] = arith.extsi %[[T]] : i20 to i32
  // CHECK-NEXT: func.return %[[E]]
  %zero5 = arith.constant 0 : i5
  %one = arith.constant 1 : i32
  %ones = arith.constant -1 : i32
  %x = arith.extsi %narrow : i20 to i32
  %by = arith.extui %s : i5 to i32
  %kept = arith.shrsi %x, %by : i32
  %mask = arith.shli %ones, %by : i32
  %below = arith.xori %mask, %ones : i32
  %dropped = arith.andi %x, %below : i32
  %unit = arith.shli %one, %by : i32
  %half = arith.shrui %unit, %one : i32
  %more = arith.cmpi ugt, %dropped, %half : i32
  %equal = arith.cmpi eq, %dropped, %half : i32
  %odd = arith.trunci %kept : i32 to i1
  %tie = arith.andi %equal, %odd : i1
  %up = arith.ori %more, %tie : i1
  %shifted = arith.cmpi ne, %s, %zero5 : i5
  %add = arith.andi %shifted, %up : i1
  %bit = arith.extui %add : i1 to i32
  %r = arith.addi %kept, %bit : i32
  %c = arith.constant 524287 : i32
  %over = arith.cmpi sgt, %r, %c : i32
  %clipped = arith.select %over, %c, %r : i32
  func.return %clipped : i32
}

// What is added when nothing was shifted out may be one too much.
// CHECK-LABEL: func.func @counted(
func.func @counted(%narrow: i20, %s: i5, %more: i1) -> i32 {
  // CHECK: arith.select
  %x = arith.extsi %narrow : i20 to i32
  %by = arith.extui %s : i5 to i32
  %kept = arith.shrsi %x, %by : i32
  %bit = arith.extui %more : i1 to i32
  %r = arith.addi %kept, %bit : i32
  %c = arith.constant 524287 : i32
  %over = arith.cmpi sgt, %r, %c : i32
  %clipped = arith.select %over, %c, %r : i32
  func.return %clipped : i32
}
