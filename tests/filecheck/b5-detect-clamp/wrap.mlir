// RUN: tensorlift-opt %s -p b5-detect-clamp | filecheck %s

// CHECK-LABEL: func.func @wrap(
func.func @wrap(%x: i32) -> i32 {
  // CHECK: arith.extsi %{{.*}} {tensorlift.wrap = {width = 20 : i64, signed = true}} : i20 to i32
  %t = arith.trunci %x : i32 to i20
  %r = arith.extsi %t : i20 to i32
  func.return %r : i32
}
