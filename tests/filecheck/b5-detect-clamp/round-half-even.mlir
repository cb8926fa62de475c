// RUN: tensorlift-opt %s -p b5-detect-clamp | filecheck %s

// CHECK-LABEL: func.func @half_even(
func.func @half_even(%x: i32, %s: i5) -> i32 {
  // CHECK: arith.addi {{.*}} {tensorlift.round = {mode = "half_even", width = 32 : i64}} : i32
  %zero5 = arith.constant 0 : i5
  %one = arith.constant 1 : i32
  %ones = arith.constant -1 : i32
  %by = arith.extui %s : i5 to i32
  %kept = arith.shrsi %x, %by : i32
  %mask = arith.shli %ones, %by : i32
  %below = arith.xori %mask, %ones : i32
  %dropped = arith.andi %x, %below : i32
  %unit = arith.shli %one, %by : i32
  %half = arith.shrui %unit, %one : i32
  %more = arith.cmpi ugt, %dropped, %half : i32
  %equal = arith.cmpi eq, %dropped, %half : i32
  %odd = arith.trunci %kept : i32 to i1
  %tie = arith.andi %equal, %odd : i1
  %up = arith.ori %more, %tie : i1
  %shifted = arith.cmpi ne, %s, %zero5 : i5
  %add = arith.andi %shifted, %up : i1
  %bit = arith.extui %add : i1 to i32
  %r = arith.addi %kept, %bit : i32
  func.return %r : i32
}
