use super::*;

fn bytes(rank: usize, count: usize) -> Message {
    Message::new((0..count).map(|k| (k * 7 + rank) as u8).collect())
}

#[test]
fn shares_cover_everything_once_and_differ_by_at_most_one() {
    for count in [0, 1, 2, 3, 7, 8, 100] {
        for size in 1..6 {
            let shares: Vec<_> = (0..size).map(|rank| share(count, rank, size)).collect();
            assert!(shares.iter().cloned().flatten().eq(0..count));
            let lengths = || shares.iter().map(ExactSizeIterator::len);
            assert!(lengths().max().unwrap() - lengths().min().unwrap() <= 1);
        }
    }
}

#[test]
fn every_process_hears_a_broadcast_from_any_process() {
    for size in 1..10 {
        for root in 0..size {
            let heard = Threads::run(size, |processes| {
                if processes.rank() == root {
                    processes.broadcast(&bytes(root, 1000))?;
                    processes.broadcast(&bytes(root, 0))?;
                    return Ok((bytes(root, 1000), bytes(root, 0)));
                }
                Ok((processes.receive_broadcast(root)?, processes.receive_broadcast(root)?))
            });
            let expected = (bytes(root, 1000), bytes(root, 0));
            assert!(heard.unwrap().iter().all(|heard| *heard == expected), "{root} of {size}");
        }
    }
}

#[test]
fn process_0_gathers_in_order_of_rank() {
    for size in 1..6 {
        let gathered = Threads::run(size, |p| p.gather(bytes(p.rank(), p.rank()))).unwrap();
        let expected: Vec<_> = (0..size).map(|rank| bytes(rank, rank)).collect();
        assert_eq!(gathered[0], expected);
        assert!(gathered[1..].iter().all(Vec::is_empty));
    }
}

#[test]
fn messages_hold_what_was_put_in_and_short_ones_are_refused() {
    let mut message = Writer::default();
    message.put(&[1u32, 2, 3]);
    message.put::<u64>(&[]);
    message.put(&[u64::MAX]);
    message.put(b"abcde");
    let message = message.finish();
    let mut reader = Reader::new(&message);
    assert_eq!(reader.take::<u32>().unwrap(), [1, 2, 3]);
    assert!(reader.take::<u64>().unwrap().is_empty());
    assert_eq!(reader.take_array::<u64, 1>().unwrap(), [u64::MAX]);
    let mut text = [0; 5];
    reader.take_into::<u8>(&mut text).unwrap();
    assert_eq!(&text, b"abcde");
    assert!(reader.take::<u8>().is_err());
    for length in 0..message.len() {
        let short = Message::new(message[..length].to_vec());
        let mut reader = Reader::new(&short);
        let read = reader.take::<u32>().and_then(|_| reader.take::<u64>());
        let read = read.and_then(|_| reader.take::<u64>()).and_then(|_| reader.take::<u8>());
        assert!(read.is_err(), "{length}");
    }
    assert!(Reader::new(&Message::new(vec![255; 16])).take::<u64>().is_err());
    assert!(Reader::new(&message).take_into::<u32>(&mut [0; 2]).is_err());
}

#[test]
fn a_process_that_fails_ends_the_others() {
    let outcome = Threads::run(4, |processes| match processes.rank() {
        2 => Err(Error::ZeroShift),
        // The others wait for messages that do not come.
        rank => processes.receive((rank + 1) % 4).map(drop),
    });
    assert!(matches!(outcome, Err(Error::ZeroShift)));
}

#[test]
fn an_abort_ends_the_waits_of_the_others() {
    let outcome = Threads::run(3, |processes| match processes.rank() {
        1 => {
            processes.abort(1);
            Ok(true)
        }
        _ => Ok(processes.receive(1).is_err() && processes.send(1, bytes(0, 1)).is_err()),
    });
    assert_eq!(outcome.unwrap(), [true; 3]);
}

#[test]
fn a_process_that_panics_ends_the_others() {
    let ended = std::sync::atomic::AtomicUsize::new(0);
    let outcome = std::panic::catch_unwind(|| {
        Threads::run(3, |processes| {
            assert!(processes.rank() != 1, "process 1 panics");
            assert!(processes.receive(1).is_err());
            ended.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            Ok(())
        })
    });
    assert!(outcome.is_err());
    assert_eq!(ended.into_inner(), 2);
}
