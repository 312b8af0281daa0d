package kubeconfig

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// maxSize bounds a kubeconfig. One with a thousand clusters has about a half.
const maxSize = 8 << 20

// files reads what there is to read, and says what it has tried for the errors
// that may follow.
func (e environment) files(path string) (files []*file, tried []string, err error) {
	if path != "" {
		one, err := readFile(path)
		return []*file{one}, []string{path}, err
	}
	paths, tried := e.paths()
	for _, path := range paths {
		one, err := readFile(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			tried = append(tried, path+" does not exist")
		case err != nil:
			return nil, nil, err
		case one.empty():
			tried = append(tried, path+" is empty")
		default:
			tried = append(tried, path)
			files = append(files, one)
		}
	}
	return files, tried, nil
}

// paths are the files that may be there, the first to be heard first.
func (e environment) paths() (paths, tried []string) {
	if list := e.getenv("KUBECONFIG"); list != "" {
		for _, path := range filepath.SplitList(list) {
			if path != "" && !slices.Contains(paths, path) {
				paths = append(paths, path)
			}
		}
		if paths == nil {
			tried = []string{"$KUBECONFIG lists no file"}
		}
		return paths, tried
	}
	home, err := e.home()
	if err != nil {
		return nil, []string{"$KUBECONFIG is not set", "there is no home directory"}
	}
	return []string{filepath.Join(home, ".kube", "config")}, []string{"$KUBECONFIG is not set"}
}

func readFile(path string) (*file, error) {
	data, err := readBounded(path)
	if err != nil {
		return nil, fmt.Errorf("read a kubeconfig: %w", err)
	}
	folder, err := filepath.Abs(filepath.Dir(path))
	if err != nil {
		return nil, fmt.Errorf("find the folder of the kubeconfig %s: %w", path, err)
	}
	return parse(data, path, folder)
}

// readBounded does not trust the size that a file says it has: it may be a pipe.
func readBounded(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxSize+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxSize {
		return nil, fmt.Errorf("%s has more than %d bytes", path, maxSize)
	}
	return data, nil
}
