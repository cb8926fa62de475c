// RUN: tensorlift-opt %s -p b5-detect-clamp | filecheck %s

// The overflow bits are looked at: all bits from the sign of the result on must be equal.
// CHECK-LABEL: func.func @overflow_bits(
func.func @overflow_bits(%x: i20) -> i8 {
  // CHECK: arith.select {{.*}} {tensorlift.clamp = {low = -128 : i64, high = 127 : i64, signed = true, width = 20 : i64}} : i8
  %c7 = arith.constant 7 : i20
  %c19 = arith.constant 19 : i20
  %zero = arith.constant 0 : i13
  %ones = arith.constant -1 : i13
  %max = arith.constant 127 : i8
  %min = arith.constant -128 : i8
  %t = arith.shrui %x, %c7 : i20
  %top = arith.trunci %t : i20 to i13
  %s = arith.shrui %x, %c19 : i20
  %sign = arith.trunci %s : i20 to i1
  %fits0 = arith.cmpi eq, %top, %zero : i13
  %fits1 = arith.cmpi eq, %top, %ones : i13
  %fits = arith.ori %fits0, %fits1 : i1
  %bound = arith.select %sign, %min, %max : i8
  %low = arith.trunci %x : i20 to i8
  %r = arith.select %fits, %low, %bound : i8
  func.return %r : i8
}

// All bits above the sign of the result, but not that sign: 128 is let through as -128.
// CHECK-LABEL: func.func @sign_forgotten(
func.func @sign_forgotten(%x: i20) -> i8 {
  // CHECK-NOT: tensorlift
  // CHECK: return
  %c8 = arith.constant 8 : i20
  %c19 = arith.constant 19 : i20
  %zero = arith.constant 0 : i12
  %ones = arith.constant -1 : i12
  %max = arith.constant 127 : i8
  %min = arith.constant -128 : i8
  %t = arith.shrui %x, %c8 : i20
  %top = arith.trunci %t : i20 to i12
  %s = arith.shrui %x, %c19 : i20
  %sign = arith.trunci %s : i20 to i1
  %fits0 = arith.cmpi eq, %top, %zero : i12
  %fits1 = arith.cmpi eq, %top, %ones : i12
  %fits = arith.ori %fits0, %fits1 : i1
  %bound = arith.select %sign, %min, %max : i8
  %low = arith.trunci %x : i20 to i8
  %r = arith.select %fits, %low, %bound : i8
  func.return %r : i8
}
