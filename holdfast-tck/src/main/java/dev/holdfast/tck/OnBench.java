package dev.holdfast.tck;

import org.junit.jupiter.api.extension.ExtendWith;

/** Tests that take a {@link Bench}. Apart from the contract, so that its public face names nothing private. */
@ExtendWith(BenchParameter.class)
interface OnBench {}
