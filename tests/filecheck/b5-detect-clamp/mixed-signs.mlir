// RUN: tensorlift-opt %s -p b5-detect-clamp | filecheck %s

// Signed bounds on an unsigned comparison are what they do: the least of x and 127, read as unsigned.
// CHECK-LABEL: func.func @mixed_up(
func.func @mixed_up(%x: i32) -> i8 {
  // CHECK: tensorlift.clamp = {low = 0 : i64, high = 127 : i64, signed = false, width = 32 : i64}
  %hi = arith.constant 127 : i32
  %lo = arith.constant -128 : i32
  %above = arith.cmpi ugt, %x, %hi : i32
  %below = arith.cmpi slt, %x, %lo : i32
  %a = arith.select %below, %lo, %x : i32
  %b = arith.select %above, %hi, %a : i32
  %r = arith.trunci %b : i32 to i8
  func.return %r : i8
}
