package dev.holdfast.redis.testing;

/** What can happen to one server of several. */
public enum Fault {
    /** SIGKILL. It forgets everything. */
    KILLED {
        @Override
        public void strike(Five five, int index) {
            five.get(index).kill();
        }

        @Override
        public void heal(Five five, int index) {
            five.get(index).restart();
        }
    },
    /** SIGSTOP: takes requests, answers nothing. */
    FROZEN {
        @Override
        public void strike(Five five, int index) {
            five.get(index).pause();
        }

        @Override
        public void heal(Five five, int index) {
            five.get(index).resume();
        }
    },
    /** The way to it takes everything and carries nothing. */
    SWALLOWED {
        @Override
        public void strike(Five five, int index) {
            five.proxies().get(index).swallow();
        }

        @Override
        public void heal(Five five, int index) {
            five.proxies().get(index).mend();
        }
    };

    public abstract void strike(Five five, int index);

    public abstract void heal(Five five, int index);
}
