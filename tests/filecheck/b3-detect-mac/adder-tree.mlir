// RUN: tensorlift-opt %s -p b3-detect-mac | filecheck %s


// Four products and an accumulator through adders that grow by a bit from level to level.
// CHECK-LABEL: func.func @tree(
func.func @tree(%x0: i8, %y0: i8, %x1: i8, %y1: i8, %x2: i8, %y2: i8, %x3: i8, %y3: i8, %c: i32) -> i32 {
  // CHECK: tensorlift.sum = {terms = 5 : i64, products = 4 : i64, width = 32 : i64, carry_save = false}
  %a0 = arith.extsi %x0 : i8 to i16
  %b0 = arith.extsi %y0 : i8 to i16
  %p0 = arith.muli %a0, %b0 : i16
  %a1 = arith.extsi %x1 : i8 to i16
  %b1 = arith.extsi %y1 : i8 to i16
  %p1 = arith.muli %a1, %b1 : i16
  %a2 = arith.extsi %x2 : i8 to i16
  %b2 = arith.extsi %y2 : i8 to i16
  %p2 = arith.muli %a2, %b2 : i16
  %a3 = arith.extsi %x3 : i8 to i16
  %b3 = arith.extsi %y3 : i8 to i16
  %p3 = arith.muli %a3, %b3 : i16
  %e0 = arith.extsi %p0 : i16 to i17
  %e1 = arith.extsi %p1 : i16 to i17
  %e2 = arith.extsi %p2 : i16 to i17
  %e3 = arith.extsi %p3 : i16 to i17
  %s0 = arith.addi %e0, %e1 : i17
  %s1 = arith.addi %e2, %e3 : i17
  %f0 = arith.extsi %s0 : i17 to i18
  %f1 = arith.extsi %s1 : i17 to i18
  %t = arith.addi %f0, %f1 : i18
  %u = arith.extsi %t : i18 to i32
  %r = arith.addi %c, %u : i32
  func.return %r : i32
}

// The second level wraps in 17 bits: what it is the sum of is no longer the sum of the products.
// CHECK-LABEL: func.func @wrapping_tree(
func.func @wrapping_tree(%x0: i8, %y0: i8, %x1: i8, %y1: i8, %x2: i8, %y2: i8, %x3: i8, %y3: i8, %c: i32) -> i32 {
  // CHECK-NOT: tensorlift.sum = {terms = 5
  // CHECK: return
  %a0 = arith.extsi %x0 : i8 to i16
  %b0 = arith.extsi %y0 : i8 to i16
  %p0 = arith.muli %a0, %b0 : i16
  %a1 = arith.extsi %x1 : i8 to i16
  %b1 = arith.extsi %y1 : i8 to i16
  %p1 = arith.muli %a1, %b1 : i16
  %a2 = arith.extsi %x2 : i8 to i16
  %b2 = arith.extsi %y2 : i8 to i16
  %p2 = arith.muli %a2, %b2 : i16
  %a3 = arith.extsi %x3 : i8 to i16
  %b3 = arith.extsi %y3 : i8 to i16
  %p3 = arith.muli %a3, %b3 : i16
  %e0 = arith.extsi %p0 : i16 to i17
  %e1 = arith.extsi %p1 : i16 to i17
  %e2 = arith.extsi %p2 : i16 to i17
  %e3 = arith.extsi %p3 : i16 to i17
  %s0 = arith.addi %e0, %e1 : i17
  %s1 = arith.addi %e2, %e3 : i17
  %t = arith.addi %s0, %s1 : i17
  %u = arith.extsi %t : i17 to i32
  %r = arith.addi %c, %u : i32
  func.return %r : i32
}

// A sum that is extended as unsigned, of signed products.
// CHECK-LABEL: func.func @unsigned_extension(
func.func @unsigned_extension(%x0: i8, %y0: i8, %x1: i8, %y1: i8, %x2: i8, %y2: i8, %x3: i8, %y3: i8, %c: i32) -> i32 {
  // CHECK-NOT: tensorlift.sum = {terms = 5
  // CHECK: return
  %a0 = arith.extsi %x0 : i8 to i16
  %b0 = arith.extsi %y0 : i8 to i16
  %p0 = arith.muli %a0, %b0 : i16
  %a1 = arith.extsi %x1 : i8 to i16
  %b1 = arith.extsi %y1 : i8 to i16
  %p1 = arith.muli %a1, %b1 : i16
  %a2 = arith.extsi %x2 : i8 to i16
  %b2 = arith.extsi %y2 : i8 to i16
  %p2 = arith.muli %a2, %b2 : i16
  %a3 = arith.extsi %x3 : i8 to i16
  %b3 = arith.extsi %y3 : i8 to i16
  %p3 = arith.muli %a3, %b3 : i16
  %e0 = arith.extsi %p0 : i16 to i17
  %e1 = arith.extsi %p1 : i16 to i17
  %e2 = arith.extsi %p2 : i16 to i17
  %e3 = arith.extsi %p3 : i16 to i17
  %s0 = arith.addi %e0, %e1 : i17
  %s1 = arith.addi %e2, %e3 : i17
  %f0 = arith.extsi %s0 : i17 to i18
  %f1 = arith.extsi %s1 : i17 to i18
  %t = arith.addi %f0, %f1 : i18
  %u = arith.extui %t : i18 to i32
  %r = arith.addi %c, %u : i32
  func.return %r : i32
}
