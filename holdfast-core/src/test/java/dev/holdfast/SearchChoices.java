package dev.holdfast;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Which of the things that could happen next does. */
interface SearchChoices {
    int pick(int options);

    /** All sequences of picks, one after the other: the last pick that can be raised is raised, those behind it forgotten. */
    final class Exhaustive implements SearchChoices {
        private record Pick(int chosen, int options) {}

        private final List<Pick> picks = new ArrayList<>();
        private int at;

        @Override
        public int pick(int options) {
            if (at == picks.size()) {
                picks.add(new Pick(0, options));
            }
            return picks.get(at++).chosen();
        }

        /** The same sequence once more. */
        void again() {
            at = 0;
        }

        /** False when every sequence has been tried. */
        boolean next() {
            at = 0;
            while (!picks.isEmpty()) {
                Pick last = picks.remove(picks.size() - 1);
                if (last.chosen() + 1 < last.options()) {
                    picks.add(new Pick(last.chosen() + 1, last.options()));
                    return true;
                }
            }
            return false;
        }
    }

    /** A walk that its seed repeats. */
    final class Random implements SearchChoices {
        private final SplittableRandom random;

        Random(long seed) {
            random = new SplittableRandom(seed);
        }

        @Override
        public int pick(int options) {
            return random.nextInt(options);
        }
    }
}
