// want: a Status is an error: an error must name the request

package client

func (r result) Into(object any) error {
	if r.err == nil && object != nil {
		r.err = json.Unmarshal(r.body, object)
	}
	return r.err
}
