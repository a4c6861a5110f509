use super::*;

fn white(width: u32, height: u32, color: png::ColorType) -> Vec<u8> {
    let pixels = vec![0xff; width as usize * height as usize * color.samples()];
    encode(&pixels, width, height, color).unwrap()
}

fn dark_pixels(png: &[u8]) -> usize {
    let mut reader = png::Decoder::new(Cursor::new(png)).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let channels = reader.output_color_type().0.samples();
    reader.next_frame(&mut pixels).unwrap();
    pixels.chunks(channels).filter(|pixel| pixel[0] == 0x40).count()
}

fn rectangle(x: f64, y: f64, width: f64, height: f64) -> RawBox {
    RawBox { x, y, width, height }
}

#[test]
fn exactly_the_box_is_painted_at_every_scale_and_colour() {
    for color in [png::ColorType::Rgb, png::ColorType::Rgba] {
        let once = paint_over(&white(20, 10, color), &[rectangle(2.0, 3.0, 4.0, 5.0)], 20.0).unwrap();
        assert_eq!(dark_pixels(&once), 20);
        let twice = paint_over(&white(40, 20, color), &[rectangle(2.0, 3.0, 4.0, 5.0)], 20.0).unwrap();
        assert_eq!(dark_pixels(&twice), 80);
    }
}

#[test]
fn a_part_of_a_pixel_is_painted_whole() {
    let painted = paint_over(&white(20, 10, png::ColorType::Rgb), &[rectangle(2.5, 3.5, 1.0, 1.0)], 20.0).unwrap();
    assert_eq!(dark_pixels(&painted), 4);
}

#[test]
fn boxes_from_outside_and_nonsense_do_not_break_it() {
    let boxes = [rectangle(-5.0, -5.0, 6.0, 6.0), rectangle(f64::NAN, 0.0, f64::INFINITY, 1e300), rectangle(1e9, 1e9, 1.0, 1.0)];
    assert!(dark_pixels(&paint_over(&white(20, 10, png::ColorType::Rgb), &boxes, 20.0).unwrap()) >= 1);
}

#[test]
fn what_is_no_picture_gives_none() {
    assert!(paint_over(b"not a picture", &[], 20.0).is_none());
    assert!(paint_over(&white(20, 10, png::ColorType::Rgb), &[], 0.0).is_none());
    let many = vec![rectangle(0.0, 0.0, 1.0, 1.0); HIDDEN_BOXES_MAX + 1];
    assert!(paint_over(&white(20, 10, png::ColorType::Rgb), &many, 20.0).is_none());
}
