// RUN: tensorlift-opt %s -p b5-detect-clamp | filecheck %s

// ReLU and saturation in one.
// CHECK-LABEL: func.func @fused(
func.func @fused(%x: i32) -> i8 {
  // CHECK: {tensorlift.clamp = {low = 0 : i64, high = 127 : i64, signed = true, width = 32 : i64}, tensorlift.relu = {width = 32 : i64}} : i32 to i8
  %hi = arith.constant 127 : i32
  %zero = arith.constant 0 : i32
  %above = arith.cmpi sgt, %x, %hi : i32
  %negative = arith.cmpi slt, %x, %zero : i32
  %a = arith.select %above, %hi, %x : i32
  %b = arith.select %negative, %zero, %a : i32
  %r = arith.trunci %b : i32 to i8
  func.return %r : i8
}
