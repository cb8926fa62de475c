// RUN: tensorlift-opt %s -p b5-detect-clamp | filecheck %s

// The product of two unsigned bytes, read as signed by a saturation with signed bounds: no number is bounded here.
// CHECK-LABEL: func.func @signed_bounds(
func.func @signed_bounds(%a: i8, %b: i8) -> i16 {
  // CHECK-NOT: tensorlift
  // CHECK: return
  %hi = arith.constant 127 : i16
  %lo = arith.constant -128 : i16
  %x = arith.extui %a : i8 to i16
  %y = arith.extui %b : i8 to i16
  %p = arith.muli %x, %y : i16
  %above = arith.cmpi sgt, %p, %hi : i16
  %below = arith.cmpi slt, %p, %lo : i16
  %m = arith.select %below, %lo, %p : i16
  %r = arith.select %above, %hi, %m : i16
  func.return %r : i16
}

// With one more bit it is never negative.
// CHECK-LABEL: func.func @with_room(
func.func @with_room(%a: i8, %b: i8) -> i17 {
  // CHECK: %r = arith.select {{.*}} {tensorlift.clamp = {low = -128 : i64, high = 127 : i64, signed = true, width = 17 : i64}} : i17
  %hi = arith.constant 127 : i17
  %lo = arith.constant -128 : i17
  %x = arith.extui %a : i8 to i17
  %y = arith.extui %b : i8 to i17
  %p = arith.muli %x, %y : i17
  %above = arith.cmpi sgt, %p, %hi : i17
  %below = arith.cmpi slt, %p, %lo : i17
  %m = arith.select %below, %lo, %p : i17
  %r = arith.select %above, %hi, %m : i17
  func.return %r : i17
}

// CHECK-LABEL: func.func @unsigned_bounds(
func.func @unsigned_bounds(%a: i8, %b: i8) -> i16 {
  // CHECK: tensorlift.clamp = {low = 0 : i64, high = 127 : i64, signed = false, width = 16 : i64}
  %hi = arith.constant 127 : i16
  %x = arith.extui %a : i8 to i16
  %y = arith.extui %b : i8 to i16
  %p = arith.muli %x, %y : i16
  %above = arith.cmpi ugt, %p, %hi : i16
  %r = arith.select %above, %hi, %p : i16
  func.return %r : i16
}
