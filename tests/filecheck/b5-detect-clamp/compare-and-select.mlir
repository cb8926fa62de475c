// RUN: tensorlift-opt %s -p b5-detect-clamp | filecheck %s

// Compare and select.
// CHECK-LABEL: func.func @compare(
func.func @compare(%x: i32) -> i8 {
  // CHECK: arith.trunci %{{.*}} {tensorlift.clamp = {low = -128 : i64, high = 127 : i64, signed = true, width = 32 : i64}} : i32 to i8
  %hi = arith.constant 127 : i32
  %lo = arith.constant -128 : i32
  %above = arith.cmpi sgt, %x, %hi : i32
  %below = arith.cmpi slt, %x, %lo : i32
  %a = arith.select %below, %lo, %x : i32
  %b = arith.select %above, %hi, %a : i32
  %r = arith.trunci %b : i32 to i8
  func.return %r : i8
}
