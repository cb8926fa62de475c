// RUN: tensorlift-opt %s -p b5-detect-clamp | filecheck %s

// CHECK-LABEL: func.func @wrap(
func.func @wrap(%x: i32) -> i32 {
  // CHECK: arith.extsi %{{.*}} {tensorlift.wrap = {width = 20 : i64, signed = true}} : i20 to i32
  %t = arith.trunci %x : i32 to i20
  %r = arith.extsi %t : i20 to i32
  func.return %r : i32
}

// The paper's idiom is no saturation: nothing is bounded.
// CHECK-LABEL: func.func @never_a_clamp(
func.func @never_a_clamp(%x: i32) -> i32 {
  // CHECK-NOT: tensorlift.clamp
  // CHECK: tensorlift.wrap = {width = 8 : i64, signed = false}
  // CHECK-NOT: tensorlift.clamp
  // CHECK: return
  %t = arith.trunci %x : i32 to i8
  %r = arith.extui %t : i8 to i32
  func.return %r : i32
}

// The extension of a saturated value loses nothing more.
// CHECK-LABEL: func.func @after_saturation(
func.func @after_saturation(%x: i32) -> i32 {
  // CHECK: arith.trunci {{.*}}tensorlift.clamp
  // CHECK-NOT: tensorlift.wrap
  // CHECK: return
  %hi = arith.constant 127 : i32
  %lo = arith.constant -128 : i32
  %above = arith.cmpi sgt, %x, %hi : i32
  %below = arith.cmpi slt, %x, %lo : i32
  %a = arith.select %below, %lo, %x : i32
  %b = arith.select %above, %hi, %a : i32
  %t = arith.trunci %b : i32 to i8
  %r = arith.extsi %t : i8 to i32
  func.return %r : i32
}
