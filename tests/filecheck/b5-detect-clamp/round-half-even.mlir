// RUN: tensorlift-opt %s -p b3-detect-mac,b5-detect-clamp | filecheck %s

// CHECK-LABEL: func.func @half_even(
func.func @half_even(%x: i32, %s: i5) -> i32 {
  // CHECK: arith.addi {{.*}} {tensorlift.round = {mode = "half_even", signed = true, width = 32 : i64}} : i32
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

// A constant amount: the bit below the last one kept, and any bit further down or the last bit kept.
// CHECK-LABEL: func.func @guard_and_sticky(
func.func @guard_and_sticky(%x: i16) -> i12 {
  // CHECK: %r = arith.addi {{.*}} {tensorlift.round = {mode = "half_even", signed = true, width = 16 : i64, shift = 4 : i64}} : i12
  %c3 = arith.constant 3 : i16
  %c4 = arith.constant 4 : i16
  %zero = arith.constant 0 : i3
  %k = arith.shrui %x, %c4 : i16
  %kept = arith.trunci %k : i16 to i12
  %odd = arith.trunci %k : i16 to i1
  %g = arith.shrui %x, %c3 : i16
  %guard = arith.trunci %g : i16 to i1
  %rest = arith.trunci %x : i16 to i3
  %sticky = arith.cmpi ne, %rest, %zero : i3
  %tie = arith.ori %sticky, %odd : i1
  %up = arith.andi %guard, %tie : i1
  %bit = arith.extui %up : i1 to i12
  %r = arith.addi %kept, %bit : i12
  func.return %r : i12
}

// The sticky bit forgets the lowest bit: the others are rounded.
// CHECK-LABEL: func.func @short_sticky(
func.func @short_sticky(%x: i16) -> i12 {
  // CHECK: %r = arith.addi {{.*}} {tensorlift.round = {mode = "half_even", signed = true, width = 15 : i64, shift = 3 : i64}} : i12
  %c1 = arith.constant 1 : i16
  %c3 = arith.constant 3 : i16
  %c4 = arith.constant 4 : i16
  %zero = arith.constant 0 : i2
  %k = arith.shrui %x, %c4 : i16
  %kept = arith.trunci %k : i16 to i12
  %odd = arith.trunci %k : i16 to i1
  %g = arith.shrui %x, %c3 : i16
  %guard = arith.trunci %g : i16 to i1
  %d = arith.shrui %x, %c1 : i16
  %rest = arith.trunci %d : i16 to i2
  %sticky = arith.cmpi ne, %rest, %zero : i2
  %tie = arith.ori %sticky, %odd : i1
  %up = arith.andi %guard, %tie : i1
  %bit = arith.extui %up : i1 to i12
  %r = arith.addi %kept, %bit : i12
  func.return %r : i12
}

// Of a sum of products, though what decides about the amount stands before it and shares nothing with the sum.
// CHECK-LABEL: func.func @of_a_sum(
func.func @of_a_sum(%s: i5, %c: i20, %a: i8, %b: i8, %d: i8, %e: i8) -> i32 {
  // CHECK: %r = arith.addi {{.*}} {tensorlift.round = {mode = "half_even", signed = true, width = 20 : i64}} : i32
  %zero5 = arith.constant 0 : i5
  %one = arith.constant 1 : i32
  %ones = arith.constant -1 : i32
  %by = arith.extui %s : i5 to i32
  %mask = arith.shli %ones, %by : i32
  %below = arith.xori %mask, %ones : i32
  %unit = arith.shli %one, %by : i32
  %half = arith.shrui %unit, %one : i32
  %shifted = arith.cmpi ne, %s, %zero5 : i5
  %a20 = arith.extsi %a : i8 to i20
  %b20 = arith.extsi %b : i8 to i20
  %d20 = arith.extsi %d : i8 to i20
  %e20 = arith.extsi %e : i8 to i20
  %p = arith.muli %a20, %b20 : i20
  %q = arith.muli %d20, %e20 : i20
  %cp = arith.addi %c, %p : i20
  %sum = arith.addi %cp, %q : i20
  %x = arith.extsi %sum : i20 to i32
  %kept = arith.shrsi %x, %by : i32
  %dropped = arith.andi %x, %below : i32
  %more = arith.cmpi ugt, %dropped, %half : i32
  %equal = arith.cmpi eq, %dropped, %half : i32
  %odd = arith.trunci %kept : i32 to i1
  %tie = arith.andi %equal, %odd : i1
  %up = arith.ori %more, %tie : i1
  %add = arith.andi %shifted, %up : i1
  %bit = arith.extui %add : i1 to i32
  %r = arith.addi %kept, %bit : i32
  func.return %r : i32
}
