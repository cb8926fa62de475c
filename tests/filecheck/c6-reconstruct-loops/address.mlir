// RUN: tensorlift-opt %s -p b3-detect-mac,c6-reconstruct-loops | filecheck %s


// Sums that an address is computed from stay arithmetic.
// CHECK-LABEL: func.func @address(
func.func @address(%row: i16, %m: memref<256xi8>) -> i8 {
  // CHECK-NOT: scf.for
  // CHECK: return
  %eight = arith.constant 8 : i16
  %low = arith.trunci %row : i16 to i8
  %s = arith.shrui %row, %eight : i16
  %high = arith.trunci %s : i16 to i8
  %sum = arith.addi %low, %high : i8
  %i = arith.index_castui %sum : i8 to index
  %r = memref.load %m[%i] : memref<256xi8>
  func.return %r : i8
}
