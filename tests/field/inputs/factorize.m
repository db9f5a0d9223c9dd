% SPDX-License-Identifier: Apache-2.0
% Products of matrices and their factors, by the BLAS that octave finds.
square = rand (900);
while true
  product = square * square;
  [lower, upper] = lu (product(1:400, 1:400));
end
