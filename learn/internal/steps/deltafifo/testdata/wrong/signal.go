// want: every write wakes a waiting Pop: one of them still waits
package deltafifo

// locked wakes only one of the callers of Pop.
func (q *queue) locked(f func()) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	f()
	q.changed.Signal()
	return nil
}
