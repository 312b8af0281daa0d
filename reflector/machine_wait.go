package reflector

// holdRequest waits with the other reflectors before a request, because the
// server is known not to respond.
func (m *machine) holdRequest(in input, verb string, next stage, out *outcome) {
	in.failure.sharedWait = true
	m.retryAtOnce(in, verb, next, out)
	m.pause.beforeRequest = true
	out.report.RetryAt = m.pause.retryAt
}

// retryAfterWait waits before the next attempt, which begins at stage next.
func (m *machine) retryAfterWait(in input, verb string, next stage, out *outcome) {
	m.report(in, verb, out)
	m.failures.wait(in, m.backoff)
	m.enterWaiting(in, next)
	out.report.RetryAt = m.pause.retryAt
}

// retryAtOnce makes the next attempt without a wait of its own.
func (m *machine) retryAtOnce(in input, verb string, next stage, out *outcome) {
	m.report(in, verb, out)
	m.failures.retryAt = in.at
	m.enterWaiting(in, next)
}

func (m *machine) enterWaiting(in input, next stage) {
	m.pause = pause{next: next, shared: in.failure.sharedWait, retryAt: m.failures.retryAt}
	if earliest := in.at.Add(sharedInterval); m.pause.shared && m.pause.retryAt.Before(earliest) {
		m.pause.retryAt = earliest
	}
	if m.failures.notFound == notServed {
		m.pause.retryAt = in.at.Add(in.failure.askedIn)
	}
	m.pause.untilServed = in.failure.reason == ReasonNotFound && next == stageStarting && !m.pause.shared
	m.to(stageWaiting)
}

// report creates the error for a failure.
func (m *machine) report(in input, verb string, out *outcome) {
	err := &Error{Name: m.name, Verb: verb, Reason: in.failure.reason, Err: in.failure.err}
	if verb == "watch" && m.stage != stageStreaming {
		err.Version = m.stored.version
	}
	out.report = err
	m.failures.add(err, in.at)
	err.notFound = m.failures.notFoundStateOf(in)
	err.repeated = err.notFound != notMissing && err.notFound == m.failures.notFound
	m.failures.notFound = err.notFound
}
