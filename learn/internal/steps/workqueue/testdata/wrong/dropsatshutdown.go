// want: after ShutDown the waiting keys still come: after ShutDown with two waiting keys, Get returns shutdown; want shop/b
package workqueue

func (q *queue) ShutDown() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.shutDown = true
	q.waiting = nil
	q.changed.Broadcast()
}
