// RUN: tensorlift-opt %s -p b5-detect-clamp | filecheck %s

// CHECK-LABEL: func.func @minimum(
func.func @minimum(%x: i16) -> i8 {
  // CHECK: %r = arith.trunci {{.*}} {tensorlift.clamp = {low = 0 : i64, high = 255 : i64, signed = false, width = 16 : i64}} : i16 to i8
  %hi = arith.constant 255 : i16
  %above = arith.cmpi ugt, %x, %hi : i16
  %a = arith.select %above, %hi, %x : i16
  %r = arith.trunci %a : i16 to i8
  func.return %r : i8
}

// Any bit above the eighth.
// CHECK-LABEL: func.func @high_bits(
func.func @high_bits(%x: i16) -> i8 {
  // CHECK: %r = arith.select {{.*}} {tensorlift.clamp = {low = 0 : i64, high = 255 : i64, signed = false, width = 16 : i64}} : i8
  %c8 = arith.constant 8 : i16
  %zero = arith.constant 0 : i8
  %ones = arith.constant -1 : i8
  %h = arith.shrui %x, %c8 : i16
  %high = arith.trunci %h : i16 to i8
  %over = arith.cmpi ne, %high, %zero : i8
  %low = arith.trunci %x : i16 to i8
  %r = arith.select %over, %ones, %low : i8
  func.return %r : i8
}

// The highest bit is not looked at: of the others it is one.
// CHECK-LABEL: func.func @bit_forgotten(
func.func @bit_forgotten(%x: i16) -> i8 {
  // CHECK: %r = arith.select {{.*}} {tensorlift.clamp = {low = 0 : i64, high = 255 : i64, signed = false, width = 15 : i64}} : i8
  %c8 = arith.constant 8 : i16
  %zero = arith.constant 0 : i7
  %ones = arith.constant -1 : i8
  %h = arith.shrui %x, %c8 : i16
  %high = arith.trunci %h : i16 to i7
  %over = arith.cmpi ne, %high, %zero : i7
  %low = arith.trunci %x : i16 to i8
  %r = arith.select %over, %ones, %low : i8
  func.return %r : i8
}
