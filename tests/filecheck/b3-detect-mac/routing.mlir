// RUN: tensorlift-opt %s -p b3-detect-mac | filecheck %s


// A fabric that selects and passes on, and counts what it passed on.
// CHECK-LABEL: func.func @routing(
func.func @routing(%a: i8, %b: i8, %to: i1, %count: i16) -> (i8, i16) {
  // CHECK-NOT: tensorlift.mac
  // CHECK-NOT: tensorlift.sum
  // CHECK: return
  %r = arith.select %to, %a, %b : i8
  %one = arith.extui %to : i1 to i16
  %next = arith.addi %count, %one : i16
  func.return %r, %next : i8, i16
}
