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

// Another value where x is too small.
// CHECK-LABEL: func.func @other_value(
func.func @other_value(%x: i32) -> i32 {
  // CHECK-NOT: %r = arith.select {{.*}}tensorlift
  // CHECK: return
  %hi = arith.constant 127 : i32
  %lo = arith.constant -128 : i32
  %zero = arith.constant 0 : i32
  %above = arith.cmpi sgt, %x, %hi : i32
  %below = arith.cmpi slt, %x, %lo : i32
  %a = arith.select %above, %hi, %x : i32
  %r = arith.select %below, %zero, %a : i32
  func.return %r : i32
}

// The bounds of one value for another.
// CHECK-LABEL: func.func @two_values(
func.func @two_values(%x: i32, %y: i32) -> i32 {
  // CHECK-NOT: tensorlift
  // CHECK: return
  %hi = arith.constant 127 : i32
  %lo = arith.constant -128 : i32
  %above = arith.cmpi sgt, %y, %hi : i32
  %below = arith.cmpi slt, %y, %lo : i32
  %a = arith.select %above, %hi, %x : i32
  %r = arith.select %below, %lo, %a : i32
  func.return %r : i32
}
