// RUN: tensorlift-opt %s -p b5-detect-clamp | filecheck %s

// Bounds that are not those of a type, in unsigned arithmetic.
// CHECK-LABEL: func.func @unsigned_asymmetric(
func.func @unsigned_asymmetric(%x: i16) -> i16 {
  // CHECK: tensorlift.clamp = {low = 3 : i64, high = 200 : i64, signed = false, width = 16 : i64}
  %hi = arith.constant 200 : i16
  %lo = arith.constant 3 : i16
  %above = arith.cmpi ugt, %x, %hi : i16
  %below = arith.cmpi ult, %x, %lo : i16
  %a = arith.select %above, %hi, %x : i16
  %r = arith.select %below, %lo, %a : i16
  func.return %r : i16
}

// One value beyond the upper bound is let through: only the lower bound is one.
// CHECK-LABEL: func.func @gap(
func.func @gap(%x: i32) -> i32 {
  // CHECK: %a = arith.select {{.*}} {tensorlift.clamp = {low = -128 : i64, high = 2147483647 : i64, signed = true, width = 32 : i64}} : i32
  // CHECK-NEXT: %r = arith.select %above, %hi, %a : i32
  %hi = arith.constant 127 : i32
  %limit = arith.constant 128 : i32
  %lo = arith.constant -128 : i32
  %above = arith.cmpi sgt, %x, %limit : i32
  %below = arith.cmpi slt, %x, %lo : i32
  %a = arith.select %below, %lo, %x : i32
  %r = arith.select %above, %hi, %a : i32
  func.return %r : i32
}
