// RUN: tensorlift-opt %s -p a1-canon-bitmanip | filecheck %s

// {{12{x[7]}}, x}: a repeated bit that was made as one value.
// CHECK-LABEL: func.func @repeated(
func.func @repeated(%x: i8) -> i20 {
  // CHECK-NEXT: %[[R:.*]] = arith.extsi %x : i8 to i20
  // CHECK-NEXT: func.return %[[R]]
  %c7 = arith.constant 7 : i8
  %c8 = arith.constant 8 : i20
  %h = arith.shrui %x, %c7 : i8
  %s = arith.trunci %h : i8 to i1
  %f = arith.extsi %s : i1 to i12
  %w = arith.extui %f : i12 to i20
  %m = arith.shli %w, %c8 : i20
  %l = arith.extui %x : i8 to i20
  %r = arith.ori %m, %l : i20
  func.return %r : i20
}

// The repeated bit chosen by the sign: sign ? 12'hfff : 0.
// CHECK-LABEL: func.func @chosen(
func.func @chosen(%x: i8) -> i20 {
  // CHECK-NEXT: %[[R:.*]] = arith.extsi %x : i8 to i20
  // CHECK-NEXT: func.return %[[R]]
  %c7 = arith.constant 7 : i8
  %high = arith.constant 0xfff00 : i20
  %zero = arith.constant 0 : i20
  %h = arith.shrui %x, %c7 : i8
  %s = arith.trunci %h : i8 to i1
  %f = arith.select %s, %high, %zero : i20
  %l = arith.extui %x : i8 to i20
  %r = arith.ori %f, %l : i20
  func.return %r : i20
}

// Up and down again: an arithmetic shift of a shift is a sign extension of the low part.
// CHECK-LABEL: func.func @shifted_back(
func.func @shifted_back(%x: i32) -> i32 {
  // CHECK: %[[T:.*]] = arith.trunci %x : i32 to i8
  // CHECK-NEXT: %[[R:.*]] = arith.extsi %[[T]] : i8 to i32
  // CHECK-NEXT: func.return %[[R]]
  %c24 = arith.constant 24 : i32
  %up = arith.shli %x, %c24 : i32
  %r = arith.shrsi %up, %c24 : i32
  func.return %r : i32
}

// The other choice repeats the opposite of the sign.
// CHECK-LABEL: func.func @wrong_choice(
func.func @wrong_choice(%x: i8) -> i20 {
  // CHECK-NOT: arith.extsi
  // CHECK: return
  %c7 = arith.constant 7 : i8
  %high = arith.constant 0xfff00 : i20
  %zero = arith.constant 0 : i20
  %h = arith.shrui %x, %c7 : i8
  %s = arith.trunci %h : i8 to i1
  %f = arith.select %s, %zero, %high : i20
  %l = arith.extui %x : i8 to i20
  %r = arith.ori %f, %l : i20
  func.return %r : i20
}
