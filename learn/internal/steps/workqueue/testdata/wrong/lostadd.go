// want: a key added while it is processed comes again after Done: this change would be lost
package workqueue

// add ignores a key that is processed.
func (q *queue) add(key string) {
	if q.shutDown || q.dirty[key] || q.processing[key] {
		return
	}
	q.dirty[key] = true
	q.push(key)
}
