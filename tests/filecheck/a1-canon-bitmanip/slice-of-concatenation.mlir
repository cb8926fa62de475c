// RUN: tensorlift-opt %s -p a1-canon-bitmanip | filecheck %s

// Re-slicing a concatenation gives the part back.
// CHECK-LABEL: func.func @slice(
func.func @slice(%hi: i8, %lo: i8) -> i8 {
  %c8 = arith.constant 8 : i16
  %h = arith.extui %hi : i8 to i16
  %l = arith.extui %lo : i8 to i16
  %hs = arith.shli %h, %c8 : i16
  %w = arith.ori %hs, %l : i16
  %d = arith.shrui %w, %c8 : i16
  %r = arith.trunci %d : i16 to i8
  // CHECK-NEXT: func.return %hi
  func.return %r : i8
}

// An or of values that overlap is no concatenation.
// CHECK-LABEL: func.func @overlap(
func.func @overlap(%a: i8, %b: i8) -> i8 {
  // CHECK-NEXT: arith.ori
  %r = arith.ori %a, %b : i8
  func.return %r : i8
}
