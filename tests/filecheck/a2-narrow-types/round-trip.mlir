// RUN: tensorlift-opt %s -p a2-narrow-types | filecheck %s

// CHECK-LABEL: func.func @round_trip(
func.func @round_trip(%x: i8) -> i16 {
  // CHECK-NEXT: %[[E:.*]] = arith.extsi %x : i8 to i16
  // CHECK-NEXT: func.return %[[E]]
  %w = arith.extsi %x : i8 to i32
  %r = arith.trunci %w : i32 to i16
  func.return %r : i16
}

// A truncation that wraps is kept for the passes that read it.
// CHECK-LABEL: func.func @wrap(
func.func @wrap(%x: i32) -> i32 {
  // CHECK-NEXT: arith.trunci
  // CHECK-NEXT: arith.extsi
  %w = arith.trunci %x : i32 to i20
  %r = arith.extsi %w : i20 to i32
  func.return %r : i32
}
