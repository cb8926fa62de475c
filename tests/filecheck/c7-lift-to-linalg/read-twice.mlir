// RUN: tensorlift-opt %s -p b3-detect-mac,c7-lift-to-linalg | filecheck %s

// The sum is also an operand of the product: no dot product.
// CHECK-LABEL: func.func @read_twice(
func.func @read_twice(%row: i16, %bias: i20) -> i20 {
  // CHECK-NOT: tensorlift.linalg_op
  // CHECK: return
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = arith.constant 2 : index
  %c8 = arith.constant 8 : i16
  %r = scf.for %k = %zero to %n step %one iter_args(%sum = %bias) -> (i20) {
    %k16 = arith.index_castui %k : index to i16
    %at = arith.muli %k16, %c8 : i16
    %word = arith.shrui %row, %at : i16
    %a = arith.trunci %word : i16 to i8
    %x = arith.extsi %a : i8 to i20
    %p = arith.muli %x, %sum : i20
    %next = arith.addi %sum, %p : i20
    scf.yield %next : i20
  }
  func.return %r : i20
}
