// RUN: tensorlift-opt %s -p b5-detect-clamp | filecheck %s

// CHECK-LABEL: func.func @half_up(
func.func @half_up(%x: i16) -> i17 {
  // CHECK: arith.shrsi {{.*}} {tensorlift.round = {mode = "half_up", width = 16 : i64}} : i17
  %half = arith.constant 8 : i17
  %four = arith.constant 4 : i17
  %w = arith.extsi %x : i16 to i17
  %s = arith.addi %w, %half : i17
  %r = arith.shrsi %s, %four : i17
  func.return %r : i17
}

// A rounding constant off by one.
// CHECK-LABEL: func.func @off_by_one(
func.func @off_by_one(%x: i16) -> i17 {
  // CHECK-NOT: tensorlift
  // CHECK: return
  %half = arith.constant 7 : i17
  %four = arith.constant 4 : i17
  %w = arith.extsi %x : i16 to i17
  %s = arith.addi %w, %half : i17
  %r = arith.shrsi %s, %four : i17
  func.return %r : i17
}
