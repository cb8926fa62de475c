// RUN: tensorlift-opt %s -p b3-detect-mac | filecheck %s

// CHECK-LABEL: func.func @bit_packing(
func.func @bit_packing(%a: i8, %b: i8) -> i16 {
  // CHECK-NOT: tensorlift.mac
  // CHECK: return
  %c256 = arith.constant 256 : i16
  %x = arith.extui %a : i8 to i16
  %y = arith.extui %b : i8 to i16
  %p = arith.muli %x, %c256 : i16
  %r = arith.addi %p, %y : i16
  func.return %r : i16
}
